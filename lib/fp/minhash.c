#include "fp/minhash.h"

#include "fp/minhash_kernel.h"
#include "hash/mix.h"
#include "hash/mix_kernel.h"

enum { BATCH = 64 }; /* hashes computed in one call */

/* Offers hashes to their bins in one round. Has no branch on the values, which are random. */
static void offer(uint64_t *bin, unsigned bins, const uint64_t *x, size_t n, unsigned round)
{
	uint64_t tag = (uint64_t)round << SH_MINHASH_VALUE_BITS;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = tag | (x[i] & SH_MINHASH_VALUE_MASK);
		uint64_t *to = &bin[(x[i] >> 32) * bins >> 32];

		*to = value < *to ? value : *to;
	}
}

static uint64_t smallest(const uint64_t *x, size_t n, uint64_t least)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = x[i] & SH_MINHASH_VALUE_MASK;

		least = value < least ? value : least;
	}
	return least;
}

static bool any_empty(const uint64_t *bin, unsigned bins)
{
	for (unsigned i = 0; i < bins; i++)
		if (bin[i] == SH_MINHASH_EMPTY)
			return true;
	return false;
}

static unsigned count_filled(const uint64_t *bin, unsigned bins)
{
	unsigned n = 0;

	for (unsigned i = 0; i < bins; i++)
		n += bin[i] != SH_MINHASH_EMPTY;
	return n;
}

static bool fill_plain(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin, unsigned *filled)
{
	const struct sh_mix_kernel *mix = sh_mix_kernel_at(0);
	uint64_t x[BATCH];
	bool empty = true;

	for (unsigned i = 0; i < bins; i++)
		bin[i] = SH_MINHASH_EMPTY;
	for (unsigned round = 0; round < bins && empty; round++) {
		for (size_t i = 0, m; i < n; i += m) {
			m = n - i < BATCH ? n - i : BATCH;
			mix->words(h + i, m, round + 1, x);
			offer(bin, bins, x, m, round);
		}
		if (round == 0)
			*filled = count_filled(bin, bins);
		empty = any_empty(bin, bins);
	}
	return empty;
}

static void bits_plain(const uint64_t *bin, unsigned bits, uint64_t *out)
{
	for (unsigned i = 0; i < bits; i++)
		out[i / 64] = out[i / 64] << 1 | (bin[i] & 1);
}

static const struct sh_minhash_kernel plain = { { "plain", SH_NEEDS_NOTHING }, fill_plain,
	bits_plain };

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__)
	&sh_minhash_avx512.variant,
#endif
	&plain.variant,
};

const struct sh_minhash_kernel *sh_minhash_kernel_at(unsigned i)
{
	return (const struct sh_minhash_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}

/* Fills the bins that stayed empty after the last round. */
static void fill_rest(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin)
{
	const struct sh_mix_kernel *mix = sh_mix_kernel_at(0);
	uint64_t x[BATCH];

	for (unsigned b = 0; b < bins; b++) {
		if (bin[b] != SH_MINHASH_EMPTY)
			continue;
		bin[b] = SH_MINHASH_VALUE_MASK;
		for (size_t i = 0, m; i < n; i += m) {
			m = n - i < BATCH ? n - i : BATCH;
			mix->words(h + i, m, bins + b + 1, x);
			bin[b] = smallest(x, m, bin[b]);
		}
	}
}

unsigned sh_minhash_bins(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin)
{
	unsigned filled;

	if (sh_minhash_kernel_at(0)->fill(h, n, bins, bin, &filled))
		fill_rest(h, n, bins, bin);
	return filled;
}

void sh_minhash_bits(const uint64_t *bin, unsigned bits, uint64_t *out)
{
	sh_minhash_kernel_at(0)->bits(bin, bits, out);
}

void sh_minhash(const uint64_t *h, size_t n, unsigned bits, uint64_t *out)
{
	uint64_t bin[SH_FP_MAX_BITS];

	sh_minhash_bins(h, n, bits, bin);
	sh_minhash_bits(bin, bits, out);
}
