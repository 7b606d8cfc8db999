#include "fp/minhash.h"

#include "hash/mix.h"
#include "hash/mix_kernel.h"

enum { BATCH = 64 }; /* hashes computed in one call */

#define VALUE_MASK ((UINT64_C(1) << 48) - 1)

/* Fills the bins in one round. Has no branch on the values, which are random. */
static void fill(uint64_t *bin, unsigned bits, const uint64_t *x, size_t n, unsigned round)
{
	uint64_t tag = (uint64_t)round << 48;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = tag | (x[i] & VALUE_MASK);
		uint64_t *to = &bin[(x[i] >> 32) * bits >> 32];

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
		if (bin[i] == UINT64_MAX)
			return true;
	return false;
}

void sh_minhash_bins(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin)
{
	const struct sh_mix_kernel *mix = sh_mix_kernel_at(0);
	uint64_t x[BATCH];

	for (unsigned i = 0; i < bins; i++)
		bin[i] = UINT64_MAX;
	for (unsigned round = 0; round < bins && any_empty(bin, bins); round++)
		for (size_t i = 0, m; i < n; i += m) {
			m = n - i < BATCH ? n - i : BATCH;
			mix->words(h + i, m, round + 1, x);
			fill(bin, bins, x, m, round);
		}
	for (unsigned b = 0; b < bins; b++) {
		if (bin[b] != UINT64_MAX)
			continue;
		bin[b] = VALUE_MASK;
		for (size_t i = 0, m; i < n; i += m) {
			m = n - i < BATCH ? n - i : BATCH;
			mix->words(h + i, m, bins + b + 1, x);
			bin[b] = smallest(x, m, bin[b]);
		}
	}
}

void sh_minhash_bits(const uint64_t *bin, unsigned bits, uint64_t *out)
{
	for (unsigned i = 0; i < bits; i++)
		out[i / 64] = out[i / 64] << 1 | (bin[i] & 1);
}

void sh_minhash(const uint64_t *h, size_t n, unsigned bits, uint64_t *out)
{
	uint64_t bin[SH_FP_MAX_BITS];

	sh_minhash_bins(h, n, bits, bin);
	sh_minhash_bits(bin, bits, out);
}
