/* Compares a cache with an array that remembers all entries. */
#include "group/slabcache.h"

#include <stdbool.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

enum { NUMBERS = 500, MOST = 300000 };

struct entry {
	struct sh_cached cached;
	unsigned char byte[]; /* all of one value */
};

static struct {
	struct entry *at;
	size_t bytes;
	unsigned char value;
	unsigned made; /* the entry was the number `made` to be made */
} known[NUMBERS];

static bool intact(const struct entry *e, unsigned i)
{
	size_t n = known[i].bytes - sizeof *e;

	for (size_t k = 0; k < n; k += 1 + n / 50)
		if (e->byte[k] != known[i].value)
			return false;
	return e == known[i].at && e->byte[n - 1] == known[i].value &&
	       (uintptr_t)e % sizeof(uint64_t) == 0;
}

static void add(struct sh_slab_cache *c, unsigned i, unsigned made, bool large)
{
	struct sh_error err;
	size_t bytes = sizeof(struct entry) + 8 * (1 + rng_below(large ? MOST / 8 : 200));
	struct entry *e = sh_slab_cache_room(c, bytes, &err);

	must(e != NULL);
	known[i].at = e;
	known[i].bytes = bytes;
	known[i].value = (unsigned char)rng();
	known[i].made = made;
	e->cached = (struct sh_cached){ .number = i * UINT64_C(1) << 33, .bytes = bytes };
	memset(e->byte, known[i].value, bytes - sizeof *e);
	sh_slab_cache_insert(c, &e->cached);
}

static void against_array(size_t memory, bool large)
{
	struct sh_slab_cache c;
	struct sh_error err;
	unsigned wrong = 0, made = 0, found = 0;

	must(sh_slab_cache_init(&c, memory, &err) == 0);
	memset(known, 0, sizeof known);
	for (unsigned round = 0; round < 20000; round++) {
		unsigned i = (unsigned)rng_below(NUMBERS);
		const void *e = sh_slab_cache_find(&c, i * UINT64_C(1) << 33);

		if (e) {
			found++;
			wrong += !intact(e, i);
			continue;
		}
		/* The two newest entries are always found. */
		wrong += known[i].made && known[i].made + 1 >= made;
		add(&c, i, ++made, large);
		wrong += sh_slab_cache_find(&c, i * UINT64_C(1) << 33) != &known[i].at->cached;
	}
	ok(wrong == 0 && found > 0 && (made > NUMBERS) == (c.dropped > 0),
	    "%zu bytes: an entry is found as it was made, or not at all (%u made, %u found)",
	    memory, made, found);
	sh_slab_cache_free(&c);
}

int main(void)
{
	rng_init(2);
	against_array(1, false);
	against_array(1, true);
	against_array(10 << 20, false);
	against_array(10 << 20, true);
	return done_testing();
}
