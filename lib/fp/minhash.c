#include "fp/minhash.h"

#include "fp/mix.h"

#define VALUE_MASK ((UINT64_C(1) << 48) - 1)

/* One round: the number of bins that were empty and are not now. */
static unsigned fill(uint64_t *bin, unsigned bits, const uint64_t *h, size_t n, unsigned round)
{
	uint64_t tag = (uint64_t)round << 48;
	unsigned filled = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t x = sh_mix_word(h[i], round + 1), value = tag | (x & VALUE_MASK);
		uint64_t *to = &bin[(x >> 32) * bits >> 32];

		filled += *to == UINT64_MAX;
		*to = value < *to ? value : *to;
	}
	return filled;
}

static uint64_t smallest(const uint64_t *h, size_t n, unsigned j)
{
	uint64_t least = VALUE_MASK;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = sh_mix_word(h[i], j) & VALUE_MASK;

		least = value < least ? value : least;
	}
	return least;
}

void sh_minhash_bins(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin)
{
	unsigned filled = 0;

	for (unsigned i = 0; i < bins; i++)
		bin[i] = UINT64_MAX;
	for (unsigned round = 0; round < bins && filled < bins; round++)
		filled += fill(bin, bins, h, n, round);
	for (unsigned i = 0; i < bins; i++)
		if (bin[i] == UINT64_MAX)
			bin[i] = smallest(h, n, bins + i + 1);
}

void sh_minhash(const uint64_t *h, size_t n, unsigned bits, uint64_t *out)
{
	uint64_t bin[SH_FP_MAX_BITS];

	sh_minhash_bins(h, n, bits, bin);
	for (unsigned i = 0; i < bits; i++)
		out[i / 64] = out[i / 64] << 1 | (bin[i] & 1);
}

unsigned sh_minhash_similarity(unsigned distance, unsigned bits)
{
	return 2 * distance >= bits ? 0 : 10000 - (20000 * distance + bits / 2) / bits;
}
