/* SPDX-License-Identifier: MIT */
#include "fp/minhash.h"

#include "hash/mix.h"

enum {
	BATCH = 64,      /* hashes computed in one call */
	VALUE_BITS = 48, /* a value has the number of its round above a part of a hash */
};

#define VALUE_MASK ((UINT64_C(1) << VALUE_BITS) - 1)
#define NO_VALUE   UINT64_MAX /* of an empty bin: more than each value */

/* Offers hashes to their bins in one round. Has no branch on the values, which are random. */
static void offer(uint64_t *bin, unsigned bins, const uint64_t *x, size_t n, unsigned round)
{
	uint64_t tag = (uint64_t)round << VALUE_BITS;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = tag | (x[i] & VALUE_MASK);
		uint64_t *to = &bin[(x[i] >> 32) * bins >> 32];

		*to = value < *to ? value : *to;
	}
}

static uint64_t smallest(const uint64_t *x, size_t n, uint64_t least)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = x[i] & VALUE_MASK;

		least = value < least ? value : least;
	}
	return least;
}

static bool any_empty(const uint64_t *bin, unsigned bins)
{
	for (unsigned i = 0; i < bins; i++)
		if (bin[i] == NO_VALUE)
			return true;
	return false;
}

/* Fills the bins that stayed empty after the last round. */
static void fill_rest(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin)
{
	const struct sh_mix_kernel *mix = sh_mix_kernel_at(0);
	uint64_t x[BATCH];

	for (unsigned b = 0; b < bins; b++) {
		if (bin[b] != NO_VALUE)
			continue;
		bin[b] = VALUE_MASK;
		for (size_t i = 0, m; i < n; i += m) {
			m = n - i < BATCH ? n - i : BATCH;
			mix->words(h + i, m, bins + b + 1, x);
			bin[b] = smallest(x, m, bin[b]);
		}
	}
}

void sh_minhash_bins(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin)
{
	const struct sh_mix_kernel *mix = sh_mix_kernel_at(0);
	uint64_t x[BATCH];
	bool empty = true;

	for (unsigned i = 0; i < bins; i++)
		bin[i] = NO_VALUE;
	for (unsigned round = 0; round < bins && empty; round++) {
		for (size_t i = 0, m; i < n; i += m) {
			m = n - i < BATCH ? n - i : BATCH;
			mix->words(h + i, m, round + 1, x);
			offer(bin, bins, x, m, round);
		}
		empty = any_empty(bin, bins);
	}
	if (empty)
		fill_rest(h, n, bins, bin);
}
