#include "pair/order.h"

#include <stdlib.h>
#include <string.h>

#include "pair/scan.h"

enum {
	IN_CACHE = 1 << 17, /* elements that may be scattered in one pass */
	ONE_PASS_BITS = 10,
	FIRST_PASS_MAX = 8,
};

int sh_side_reserve(struct sh_side *s, size_t n, struct sh_error *err)
{
	size_t cap = n + SH_SCAN_TILE;

	if (cap <= s->cap)
		return 0;
	cap += cap / 16;
	free(s->word);
	free(s->id);
	s->cap = 0;
	s->word = malloc(cap * sizeof *s->word);
	s->id = malloc(cap * sizeof *s->id);
	if (s->word == NULL || s->id == NULL)
		return sh_error_nomem(err);
	s->cap = cap;
	return 0;
}

void sh_side_free(struct sh_side *s)
{
	free(s->word);
	free(s->id);
	*s = (struct sh_side){ 0 };
}

void sh_side_load(struct sh_side *s, unsigned word)
{
	const uint64_t *fp = s->fp + word;

	for (uint32_t i = 0; i < s->n; i++) {
		s->word[i] = fp[(size_t)i * s->words];
		s->id[i] = i;
	}
	/* What is read beyond the end is masked out; defined it should be all the same. */
	memset(s->word + s->n, 0, SH_SCAN_TILE * sizeof *s->word);
	s->loaded = word;
}

void sh_side_fetch(struct sh_side *s, uint32_t lo, uint32_t n, unsigned word)
{
	const uint64_t *fp = s->fp + word;

	for (uint32_t i = lo; i < lo + n; i++)
		s->word[i] = fp[(size_t)s->id[i] * s->words];
}

void sh_key_init(struct sh_key *key, uint64_t mask)
{
	unsigned left = (unsigned)__builtin_popcountll(mask);

	*key = (struct sh_key){ .bits = left };
	while (mask != 0) {
		unsigned top = 63 - (unsigned)__builtin_clzll(mask), n = 0;

		while (n <= top && (mask >> (top - n) & 1))
			n++;
		left -= n;
		/* The run's last bit is bit top-n+1, and goes to bit `left`. */
		key->shift[key->runs] = (uint8_t)(top - n + 1 - left);
		key->mask[key->runs] = (n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX) << left;
		key->runs++;
		mask = top - n + 1 > 0 ? mask & ((UINT64_C(1) << (top - n + 1)) - 1) : 0;
	}
}

/* Which of the key's bits a pass looks at. */
struct pass {
	const struct sh_key *key;
	unsigned shift, bits;
};

static inline uint32_t digit(const struct pass *p, uint64_t word)
{
	return sh_key_of(p->key, word) >> p->shift & ((UINT32_C(1) << p->bits) - 1);
}

/* Move n elements of `from` at `lo` to the same range of `to`, by digit. start[d] is where digit
 * d begins there; next is used up. */
static void place(const struct sh_side *from, struct sh_side *to, uint32_t lo, uint32_t n,
    const struct pass *p, uint32_t *start, uint32_t *next)
{
	uint32_t digits = UINT32_C(1) << p->bits, at = lo;

	memset(next, 0, digits * sizeof *next);
	for (uint32_t i = lo; i < lo + n; i++)
		next[digit(p, from->word[i])]++;
	for (uint32_t d = 0; d < digits; d++) {
		uint32_t count = next[d];

		start[d] = next[d] = at;
		at += count;
	}
	for (uint32_t i = lo; i < lo + n; i++) {
		uint32_t where = next[digit(p, from->word[i])]++;

		to->word[where] = from->word[i];
		to->id[where] = from->id[i];
	}
}

void sh_side_order(struct sh_side *s, uint32_t lo, uint32_t n, const struct sh_key *key,
    uint32_t *start, struct sh_side *room, uint32_t *next)
{
	uint32_t part[(1 << FIRST_PASS_MAX) + 1], parts;
	struct pass p = { key, 0, key->bits };

	start[UINT32_C(1) << key->bits] = lo + n;
	if (n <= IN_CACHE || key->bits <= ONE_PASS_BITS) {
		place(s, room, lo, n, &p, start, next);
		memcpy(s->word + lo, room->word + lo, n * sizeof *s->word);
		memcpy(s->id + lo, room->id + lo, n * sizeof *s->id);
		return;
	}
	/* The upper bits first, so that the second pass scatters within the cache. */
	p.bits = key->bits / 2 < FIRST_PASS_MAX ? key->bits / 2 : FIRST_PASS_MAX;
	p.shift = key->bits - p.bits;
	parts = UINT32_C(1) << p.bits;
	place(s, room, lo, n, &p, part, next);
	part[parts] = lo + n;
	p.bits = p.shift;
	p.shift = 0;
	for (uint32_t i = 0; i < parts; i++)
		place(room, s, part[i], part[i + 1] - part[i], &p, start + ((size_t)i << p.bits),
		    next);
}
