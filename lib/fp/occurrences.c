#include "fp/occurrences.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/siphash.h"
#include "hash/mix.h"

/* Rounds in which strays find other slots: those of five hashes hardly ever take three. */
enum { OWNERS = 1 << 16, ROUNDS = 6 };

int sh_occurrences_init(struct sh_occurrences *o, struct sh_error *err)
{
	size_t room = SH_OCCURRENCES_MAX + SH_REPEATS_SLACK;
	uint64_t key[2];

	*o = (struct sh_occurrences){ 0 };
	if (sh_random_key(key, err) < 0)
		return -1;
	o->mix = sh_mix_kernel_at(0);
	o->repeats = sh_repeats_kernel_at(0);
	o->seed = key[0];
	o->key = key[1] | 1;
	o->count = malloc(room * sizeof *o->count);
	o->hash = malloc(room * sizeof *o->hash);
	o->last = malloc(room * sizeof *o->last);
	o->cut = malloc(room * sizeof *o->cut);
	o->from = malloc(room * sizeof *o->from);
	o->slot = malloc(room * sizeof *o->slot);
	o->guest = malloc(room * sizeof *o->guest);
	o->host = malloc(room * sizeof *o->host);
	o->owner = malloc(OWNERS * sizeof *o->owner);
	if (o->count && o->hash && o->last && o->cut && o->from && o->slot && o->guest && o->host &&
	    o->owner)
		return 0;
	return sh_error_nomem(err);
}

void sh_occurrences_free(struct sh_occurrences *o)
{
	free(o->count);
	free(o->hash);
	free(o->last);
	free(o->cut);
	free(o->from);
	free(o->slot);
	free(o->guest);
	free(o->host);
	free(o->owner);
}

struct features {
	const char *text;
	const uint32_t *start, *end;
};

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

/* In eight bytes from byte 8 i on, of which n - 8 i count. */
static inline uint64_t differ(const char *p, const char *q, size_t n, unsigned i)
{
	return (sh_le64(p + 8 * i) ^ sh_le64(q + 8 * i)) & keep[24 + n - 8 * i];
}

/* How long texts are nobody can predict, but that they are seldom beyond 16 bytes, if they are
 * words, and else beyond 32: up to there no branch asks. */
static inline bool same(const struct features *f, size_t i, size_t j, bool words)
{
	const char *p = f->text + f->start[i], *q = f->text + f->start[j];
	size_t n = f->end[i] - f->start[i];
	uint64_t other = n ^ (f->end[j] - f->start[j]);

	if (__builtin_expect(n > 32, 0))
		return other == 0 && memcmp(p, q, n) == 0;
	other |= differ(p, q, n, 0) | differ(p, q, n, 1);
	if (!words || __builtin_expect(n > 16, 0))
		other |= differ(p, q, n, 2) | differ(p, q, n, 3);
	return other == 0;
}

/* Count the guests that repeat their host. The others stay among the guests: their number. */
static inline size_t count_guests(
    const struct sh_occurrences *o, const struct features *f, size_t guests, bool words)
{
	const uint16_t *restrict host = o->host;
	uint16_t *restrict guest = o->guest;
	uint32_t *restrict count = o->count;
	const struct features in = *f;
	size_t strays = 0;

	for (size_t g = 0; g < guests; g++) {
		uint16_t i = guest[g];
		bool repeats = same(&in, i, host[g], words);

		count[i] = 0;
		count[host[g]] += repeats;
		guest[strays] = i;
		strays += !repeats;
	}
	return strays;
}

/* Give the strays slots of their own, in a table where there is room for each several times. */
static size_t part_strays(struct sh_occurrences *o, size_t n, unsigned round, unsigned bits)
{
	uint64_t key = o->key + 2 * round * UINT64_C(0x9E3779B97F4A7C15);
	size_t guests = 0;

	for (size_t g = n; g-- > 0;) {
		uint16_t i = o->guest[g];

		o->slot[i] = (uint16_t)((o->hash[i] ^ key) * key >> (64 - bits));
		o->owner[o->slot[i]] = i;
	}
	for (size_t g = 0; g < n; g++) {
		uint16_t i = o->guest[g], owner = o->owner[o->slot[i]];

		o->count[i] = 1;
		o->guest[guests] = i;
		o->host[guests] = owner;
		guests += owner != i;
	}
	return guests;
}

/* Of texts of mostly more than 16 bytes, which is all that is fast at once: their first 16, their
 * last 16, and what is longer than both as a whole. */
static void hash_long(struct sh_occurrences *o, const struct features *f, size_t n)
{
	const uint32_t *restrict start = f->start, *restrict end = f->end;
	uint32_t *restrict cut = o->cut, *restrict from = o->from;

	for (size_t i = 0; i < n; i++) {
		cut[i] = end[i] - start[i] > 16 ? start[i] + 16 : end[i];
		from[i] = end[i] - start[i] > 16 ? end[i] - 16 : start[i];
	}
	o->mix->tokens(f->text, start, cut, n, o->seed, o->hash);
	o->mix->tokens(f->text, from, end, n, o->seed, o->last);
	for (size_t i = 0; i < n; i++) {
		size_t bytes = end[i] - start[i];
		/* The length tells texts apart that are one character again and again. */
		uint64_t h = o->hash[i] + sh_rotl64(o->last[i], 23) + bytes;

		if (__builtin_expect(bytes > 32, 0))
			h += sh_mix_token_padded(f->text + start[i], bytes, o->seed);
		o->hash[i] = h;
	}
}

/* Four to eight slots a feature. */
static unsigned slot_bits(size_t n)
{
	unsigned bits = 6;

	while ((size_t)1 << bits < 4 * n)
		bits++;
	return bits;
}

static void own_slots(const uint16_t *restrict slot, size_t n, uint16_t *restrict owner)
{
#pragma GCC unroll 4
	for (size_t i = n; i-- > 0;)
		owner[slot[i]] = (uint16_t)i;
}

/* Mostly words, by the first ones: n-grams are longer. */
static bool are_words(const struct features *f, size_t n)
{
	size_t bytes = 0, some = n < 64 ? n : 64;

	for (size_t i = 0; i < some; i++)
		bytes += f->end[i] - f->start[i];
	return bytes < 10 * some;
}

bool sh_occurrences_find(struct sh_occurrences *o, const char *text, const uint32_t *start,
    const uint32_t *end, size_t n)
{
	const struct features f = { text, start, end };
	unsigned bits = slot_bits(n);
	bool words = are_words(&f, n);
	size_t left;

	if (words)
		o->mix->tokens(text, start, end, n, o->seed, o->hash);
	else
		hash_long(o, &f, n);
	o->repeats->slots(o->hash, n, bits, o->key, o->slot);
	own_slots(o->slot, n, o->owner);
	for (size_t i = 0; i < n; i++)
		o->count[i] = 1;
	left = o->repeats->guests(o->slot, o->owner, n, o->guest, o->host);
	left = words ? count_guests(o, &f, left, true) : count_guests(o, &f, left, false);
	for (unsigned round = 1; left && round < ROUNDS; round++) {
		left = part_strays(o, left, round, bits);
		left = count_guests(o, &f, left, false);
	}
	return left == 0;
}
