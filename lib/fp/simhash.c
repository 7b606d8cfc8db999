/* SPDX-License-Identifier: MIT */
#include "fp/simhash.h"

#include <string.h>

#include "hash/mix.h"

/* Features processed at a time. Their hashes and weights have 2 KiB each: together with the sums
 * these stay in the first-level cache. */
enum { BATCH = 256 };

/* SSE2 and NEON have registers of 16 bytes. */
#define NAME(f) f##_plain
#define TARGET
#define BYTES 16
#include "fp/simhash_body.h"

static const struct sh_simhash_kernel plain = { { "plain", SH_NEEDS_NOTHING }, units_plain,
	weights_plain };

#if defined(__x86_64__)
#define NAME(f) f##_avx2
#define TARGET  __attribute__((target("avx2")))
#define BYTES   32
#include "fp/simhash_body.h"

static const struct sh_simhash_kernel avx2 = { { "avx2", SH_NEEDS_AVX2 }, units_avx2,
	weights_avx2 };
#endif

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__)
	&avx2.variant,
#endif
	&plain.variant,
};

const struct sh_simhash_kernel *sh_simhash_kernel_at(unsigned i)
{
	return (const struct sh_simhash_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}

int sh_simhash_init(struct sh_simhash *s, unsigned bits, unsigned tie, struct sh_error *err)
{
	if (bits < 1 || bits > SH_FP_MAX_BITS)
		return sh_error_set(err, SH_ERR_PARAM, "a fingerprint of %u bits: expected 1 to %d",
		    bits, SH_FP_MAX_BITS);
	if (tie > 1)
		return sh_error_set(err, SH_ERR_PARAM, "a tie gives 0 or 1, not %u", tie);
	memset(s, 0, sizeof *s);
	s->kernel = sh_simhash_kernel_at(0);
	s->bits = bits;
	s->words = SH_FP_WORDS(bits);
	s->tie = tie;
	return 0;
}

void sh_simhash_clear(struct sh_simhash *s)
{
	unsigned j, used = sh_planes_used(s->units);

	for (j = 0; j < s->words; j++)
		memset(s->planes[j], 0, used * sizeof *s->planes[j]);
	if (s->summed)
		memset(s->sum, 0, s->words * sizeof *s->sum);
	s->summed = false;
	s->weighted = 0;
	s->units = 0;
}

int64_t sh_simhash_total(const struct sh_simhash *s)
{
	return s->weighted + (int64_t)s->units * SH_WEIGHT_ONE;
}

/* Returns -1. */
static int fail_too_heavy(struct sh_error *err)
{
	return sh_error_set(
	    err, SH_ERR_RANGE, "the document's weights sum to more than 9223372036854.775807");
}

/* Adds the weight to sum[b] for each bit b of x. */
static void add_word(int64_t sum[64], uint64_t x, int64_t weight)
{
	unsigned b;

	for (b = 0; b < 64; b++)
		sum[b] += weight & -(int64_t)(x >> (63 - b) & 1);
}

int sh_simhash_add(
    struct sh_simhash *s, const uint64_t *words, int64_t weight, struct sh_error *err)
{
	unsigned j;

	if (weight < 0)
		return sh_error_set(err, SH_ERR_PARAM, "a negative weight");
	if (weight > INT64_MAX - sh_simhash_total(s))
		return fail_too_heavy(err);
	if (weight == SH_WEIGHT_ONE) {
		s->units++;
		for (j = 0; j < s->words; j++)
			s->kernel->units(s->planes[j], s->units, &words[j], 1);
		return 0;
	}
	s->weighted += weight;
	s->summed = true;
	for (j = 0; j < s->words; j++)
		add_word(s->sum[j], words[j], weight);
	return 0;
}

/* Returns word j of each of n <= BATCH hashes: h for word 0, otherwise room. */
static const uint64_t *word_of_hashes(const uint64_t *h, size_t n, unsigned j, uint64_t *room)
{
	size_t i;

	if (!j)
		return h;
	for (i = 0; i < n; i++)
		room[i] = sh_mix_word(h[i], j);
	return room;
}

/* Counts n features of weight 1.0. The caller has checked the total. */
static void count_units(struct sh_simhash *s, const uint64_t *h, size_t n)
{
	uint64_t room[BATCH];
	size_t i, batch;
	unsigned j;

	s->units += n;
	s->kernel->units(s->planes[0], s->units, h, n);
	for (j = 1; j < s->words; j++)
		for (i = 0; i < n; i += batch) {
			batch = n - i < BATCH ? n - i : BATCH;
			s->kernel->units(
			    s->planes[j], s->units, word_of_hashes(h + i, batch, j, room), batch);
		}
}

int sh_simhash_add_units(struct sh_simhash *s, const uint64_t *h, size_t n, struct sh_error *err)
{
	if (n > (uint64_t)((INT64_MAX - sh_simhash_total(s)) / SH_WEIGHT_ONE))
		return fail_too_heavy(err);
	count_units(s, h, n);
	return 0;
}

/* Fails when a weight is negative or the total would be too large. */
static int check_weights(
    const struct sh_simhash *s, const int64_t *w, size_t n, struct sh_error *err)
{
	int64_t left = INT64_MAX - sh_simhash_total(s);
	size_t i;

	for (i = 0; i < n; i++) {
		if (w[i] < 0)
			return sh_error_set(err, SH_ERR_PARAM, "a negative weight");
		if (w[i] > left)
			return fail_too_heavy(err);
		left -= w[i];
	}
	return 0;
}

/* Returns the length of the longest prefix of n weights with a sum of at most INT32_MAX
 * millionths. */
static size_t light_prefix(const int64_t *w, size_t n)
{
	int64_t left = INT32_MAX;
	size_t i;

	for (i = 0; i < n && w[i] <= left; i++)
		left -= w[i];
	return i;
}

/* Adds n <= BATCH features whose weights sum to at most INT32_MAX. Sums of 32 bits are twice as
 * fast as sums of 64 bits. */
static void add_light(struct sh_simhash *s, const uint64_t *h, const int64_t *w, size_t n)
{
	uint64_t room[BATCH];
	int32_t sum[64];
	unsigned j, b;

	for (j = 0; j < s->words; j++) {
		memset(sum, 0, sizeof sum);
		s->kernel->weights(sum, word_of_hashes(h, n, j, room), w, n);
		for (b = 0; b < 64; b++)
			s->sum[j][b] += sum[b];
	}
}

/* Adds n <= BATCH features whose weights sum to `all`. Consecutive light weights are added
 * together. A weight above INT32_MAX is added alone. */
static void add_all(
    struct sh_simhash *s, const uint64_t *h, const int64_t *w, size_t n, int64_t all)
{
	size_t i, run;
	unsigned j;

	s->summed |= n > 0;
	s->weighted += all;
	for (i = 0; i < n; i += run) {
		run = all > INT32_MAX ? light_prefix(w + i, n - i) : n - i;
		if (run) {
			add_light(s, h + i, w + i, run);
			continue;
		}
		run = 1;
		for (j = 0; j < s->words; j++)
			add_word(s->sum[j], sh_mix_word(h[i], j), w[i]);
	}
}

/* Counts the features of weight 1.0, which is several times faster than adding weights. Adds the
 * other features. Each feature is written to both arrays, and the length of one array grows: this
 * needs no branch on the weight. */
int sh_simhash_add_weighted(
    struct sh_simhash *s, const uint64_t *h, const int64_t *weights, size_t n, struct sh_error *err)
{
	uint64_t one[BATCH], other[BATCH];
	int64_t weight[BATCH], all;
	size_t i, batch, ones;

	if (check_weights(s, weights, n, err) < 0)
		return -1;
	for (; n; n -= batch, h += batch, weights += batch) {
		batch = n < BATCH ? n : BATCH;
		for (ones = i = 0, all = 0; i < batch; i++) {
			one[ones] = other[i - ones] = h[i];
			weight[i - ones] = weights[i];
			all += weights[i];
			ones += weights[i] == SH_WEIGHT_ONE;
		}
		count_units(s, one, ones);
		add_all(s, other, weight, batch - ones, all - (int64_t)ones * SH_WEIGHT_ONE);
	}
	return 0;
}

/* Returns a word whose bit b is 1 when counter b is at least `least`. Compares from the lowest
 * plane up: the highest plane in which counter and `least` differ decides. */
static uint64_t at_least(const uint64_t *planes, uint64_t units, uint64_t least)
{
	uint64_t yes = UINT64_MAX;
	unsigned i;

	for (i = 0; i < SH_PLANES && (units | least) >> i; i++)
		yes = least >> i & 1 ? planes[i] & yes : planes[i] | yes;
	return yes;
}

/* Adds to sum[b] the weight of the features that counter b counts. Bit b of plane i stands for 2^i
 * features of weight 1.0. */
static void add_planes(const struct sh_simhash *s, unsigned j, int64_t sum[64])
{
	unsigned used = sh_planes_used(s->units), i, b;
	int64_t w[SH_PLANES];
	int32_t light[64] = { 0 };
	size_t run;

	for (i = 0; i < used; i++)
		w[i] = SH_WEIGHT_ONE << i;
	run = light_prefix(w, used);
	s->kernel->weights(light, s->planes[j], w, run);
	for (b = 0; b < 64; b++)
		sum[b] += light[b];
	for (i = (unsigned)run; i < used; i++)
		add_word(sum, s->planes[j][i], w[i]);
}

/* Returns a word whose bit b is 1 when sum[b] > total / 2; when both are equal, bit b is `tie`. Bit
 * b is the sign of total - 2 * sum[b] - tie, which needs no branch. Each shift waits for the one
 * before it: four independent words keep the processor busy. */
static uint64_t majority(const int64_t sum[64], int64_t total, int64_t tie)
{
	uint64_t quarter[4] = { 0 };

	for (unsigned b = 0; b < 16; b++)
		for (unsigned k = 0; k < 4; k++) {
			int64_t s = sum[16 * k + b];
			uint64_t difference = (uint64_t)(total - s - s - tie);

			quarter[k] = quarter[k] << 1 | difference >> 63;
		}
	return quarter[0] << 48 | quarter[1] << 32 | quarter[2] << 16 | quarter[3];
}

static uint64_t word_of_sums(const struct sh_simhash *s, unsigned j)
{
	int64_t sum[64];

	memcpy(sum, s->sum[j], sizeof sum);
	add_planes(s, j, sum);
	return majority(sum, sh_simhash_total(s), s->tie);
}

void sh_simhash_finish(const struct sh_simhash *s, uint64_t *out)
{
	/* The fewest features that make a bit 1: half of them with `tie` 1, else more than half. */
	uint64_t least = s->tie ? s->units / 2 + s->units % 2 : s->units / 2 + 1;
	unsigned j;

	for (j = 0; j < s->words; j++)
		out[j] = s->summed ? word_of_sums(s, j) : at_least(s->planes[j], s->units, least);
	if (s->bits % 64)
		out[s->words - 1] &= ~(UINT64_MAX >> s->bits % 64);
}
