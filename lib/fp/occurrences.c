/* As in repeats.c: every feature writes its index into its slot of a table, from the last to the
 * first, so that each slot holds the first one of those that share it, its owner. A guest, who is
 * not the owner of its slot, repeats the owner or is a stray. Strays, few in a sparse table, go
 * through the same again under other slots: all occurrences of a feature are strays together. */
#include "fp/occurrences.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/siphash.h"
#include "base/wide.h"

enum { OWNERS = 1 << 16, KEYS = 8, ROUNDS = 16 };

int sh_occurrences_init(struct sh_occurrences *o, struct sh_error *err)
{
	*o = (struct sh_occurrences){ 0 };
	for (unsigned i = 0; i < KEYS; i += 2)
		if (sh_random_key(o->key + i, err) < 0)
			return -1;
	o->count = malloc(SH_OCCURRENCES_MAX * sizeof *o->count);
	o->hash = malloc(SH_OCCURRENCES_MAX * sizeof *o->hash);
	o->slot = malloc(SH_OCCURRENCES_MAX * sizeof *o->slot);
	o->index = malloc(SH_OCCURRENCES_MAX * sizeof *o->index);
	o->owner = malloc(OWNERS * sizeof *o->owner);
	if (o->count && o->hash && o->slot && o->index && o->owner)
		return 0;
	return sh_error_nomem(err);
}

void sh_occurrences_free(struct sh_occurrences *o)
{
	free(o->count);
	free(o->hash);
	free(o->slot);
	free(o->index);
	free(o->owner);
}

/* keep[i]: the first i - 24 bytes of a word, at least none and at most eight. */
#define BYTES(n) (UINT64_MAX >> (64 - 8 * (n)))
#define FOUR     UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX
static const uint64_t keep[57] = {
	[25] = BYTES(1),
	BYTES(2),
	BYTES(3),
	BYTES(4),
	BYTES(5),
	BYTES(6),
	BYTES(7),
	FOUR,
	FOUR,
	FOUR,
	FOUR,
	FOUR,
	FOUR,
	UINT64_MAX,
};

/* The four words of a text of up to 32 bytes, with zeros behind it. */
struct words {
	uint64_t w[4];
};

static inline struct words words_of(const char *p, size_t n)
{
	struct words x;

	for (unsigned i = 0; i < 4; i++)
		x.w[i] = sh_le64(p + 8 * i) & keep[24 + n - 8 * i];
	return x;
}

/* The products of words under secret keys (NH, of UMAC: Black et al. 1999), folded; of a long text
 * SipHash. */
static inline uint64_t hash(const uint64_t key[KEYS], const char *p, size_t n)
{
	struct words x;

	if (__builtin_expect(n > 32, 0))
		return sh_siphash(key + 6, p, n);
	x = words_of(p, n);
	return sh_wide_fold(x.w[0] + key[0], x.w[1] + key[1]) +
	       sh_wide_fold(x.w[2] + key[2], x.w[3] + key[3]) + n * key[4];
}

static inline bool same(const char *p, const char *q, size_t n)
{
	struct words x, y;

	if (__builtin_expect(n > 32, 0))
		return memcmp(p, q, n) == 0;
	x = words_of(p, n);
	y = words_of(q, n);
	return ((x.w[0] ^ y.w[0]) | (x.w[1] ^ y.w[1]) | (x.w[2] ^ y.w[2]) | (x.w[3] ^ y.w[3])) == 0;
}

/* Four to eight slots a feature. */
static unsigned slot_bits(size_t n)
{
	unsigned bits = 6;

	while ((size_t)1 << bits < 4 * n)
		bits++;
	return bits;
}

/* What a round multiplies hashes by, to make slots of their highest bits. */
static uint64_t factor(const struct sh_occurrences *o, unsigned round)
{
	return (o->key[5] + 2 * round * UINT64_C(0x9E3779B97F4A7C15)) | 1;
}

struct features {
	const char *text;
	const uint32_t *start, *end;
};

static inline bool same_features(const struct features *f, size_t i, size_t j)
{
	uint32_t n = f->end[i] - f->start[i];

	return n == f->end[j] - f->start[j] &&
	       same(f->text + f->start[i], f->text + f->start[j], n);
}

/* Count the guests that repeat their owner; the others stay in o->index: their number. */
static size_t count_guests(struct sh_occurrences *o, const struct features *f, size_t guests)
{
	size_t strays = 0;

	for (size_t g = 0; g < guests; g++) {
		uint16_t i = o->index[g], owner = o->owner[o->slot[i]];

		if (same_features(f, i, owner))
			o->count[owner]++;
		else
			o->index[strays++] = i;
	}
	return strays;
}

static void hash_all(const struct sh_occurrences *o, const struct features *f, size_t n,
    uint64_t *restrict hashes, uint16_t *restrict slot)
{
	const uint64_t times = factor(o, 0);
	const unsigned shift = 64 - slot_bits(n);
	struct features in = *f;
	uint64_t key[KEYS];

	memcpy(key, o->key, sizeof key);
	for (size_t i = 0; i < n; i++) {
		uint64_t h = hash(key, in.text + in.start[i], in.end[i] - in.start[i]);

		hashes[i] = h;
		slot[i] = (uint16_t)(h * times >> shift);
	}
}

/* All features: those that do not own their slot are put into `index`, their number is returned. */
static size_t find_guests(const uint16_t *restrict slot, size_t n, uint16_t *restrict owner,
    uint32_t *restrict count, uint16_t *restrict index)
{
	size_t guests = 0;

	for (size_t i = n; i-- > 0;)
		owner[slot[i]] = (uint16_t)i;
	for (size_t i = 0; i < n; i++) {
		bool owns = owner[slot[i]] == i;

		count[i] = owns;
		index[guests] = (uint16_t)i;
		guests += !owns;
	}
	return guests;
}

/* The same for n strays. */
static size_t part_strays(struct sh_occurrences *o, size_t n, unsigned round)
{
	uint64_t times = factor(o, round);
	unsigned shift = 64 - slot_bits(n);
	size_t guests = 0;

	for (size_t g = n; g-- > 0;) {
		uint16_t i = o->index[g];

		o->slot[i] = (uint16_t)(o->hash[i] * times >> shift);
		o->owner[o->slot[i]] = i;
	}
	for (size_t g = 0; g < n; g++) {
		uint16_t i = o->index[g];
		bool owns = o->owner[o->slot[i]] == i;

		o->count[i] = owns;
		o->index[guests] = i;
		guests += !owns;
	}
	return guests;
}

/* Those that share a hash and are not the same, if there ever are any: one by one. */
static void count_slowly(struct sh_occurrences *o, const struct features *f, size_t n)
{
	for (size_t g = 0; g < n; g++) {
		size_t first = 0;

		while (!same_features(f, o->index[first], o->index[g]))
			first++;
		o->count[o->index[g]] = 0;
		o->count[o->index[first]]++;
	}
}

void sh_occurrences_find(struct sh_occurrences *o, const char *text, const uint32_t *start,
    const uint32_t *end, size_t n)
{
	struct features f = { text, start, end };
	size_t left;

	hash_all(o, &f, n, o->hash, o->slot);
	left = count_guests(o, &f, find_guests(o->slot, n, o->owner, o->count, o->index));
	for (unsigned round = 1; left && round < ROUNDS; round++)
		left = count_guests(o, &f, part_strays(o, left, round));
	count_slowly(o, &f, left);
}
