/* MinHash with AVX-512. */
#include "fp/minhash_kernel.h"

#if defined(__x86_64__)

#include <string.h>

#include "hash/mix.h"
#include "hash/mix_x86.h"

enum {
	BATCH = 256,    /* hashes of one batch */
	FEW_BINS = 512, /* bins whose set fits in a vector, one bit for each */
};

static inline uint64_t tag_of(unsigned round)
{
	return (uint64_t)round << SH_MINHASH_VALUE_BITS;
}

/* Mixes eight hashes for a round. */
static AVX512 inline __m512i mix8(__m512i h, unsigned round)
{
	const __m512i add = _mm512_set1_epi64((long long)((round + 1) * SH_MIX_GOLDEN));

	return moremur8(_mm512_add_epi64(h, add));
}

/* Returns the bins of eight mixed hashes. */
static AVX512 inline __m512i bins8(__m512i x, unsigned bins)
{
	const __m512i n = _mm512_set1_epi64(bins);

	return _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(x, 32), n), 32);
}

/* Returns the values of eight mixed hashes. */
static AVX512 inline __m512i values8(__m512i x, unsigned round)
{
	const __m512i mask = _mm512_set1_epi64((long long)SH_MINHASH_VALUE_MASK);
	const __m512i tag = _mm512_set1_epi64((long long)tag_of(round));

	return _mm512_or_si512(_mm512_and_si512(x, mask), tag);
}

/* Offers a value to a bin. Has no branch on the values, which are random. */
static inline void offer(uint64_t *bin, uint64_t value)
{
	uint64_t old = *bin;

	*bin = value < old ? value : old;
}

/* Offers all hashes to their bins. */
static AVX512 void offer_all(
    const uint64_t *h, size_t n, unsigned round, unsigned bins, uint64_t *bin)
{
	uint64_t at[BATCH], value[BATCH];

	for (size_t i = 0, m; i < n; i += m) {
		m = n - i < BATCH ? n - i : BATCH;
		for (size_t j = 0; j < m; j += 8) {
			__m512i x = _mm512_maskz_loadu_epi64(first(m - j), h + i + j);

			x = mix8(x, round);
			_mm512_storeu_si512(at + j, bins8(x, bins));
			_mm512_storeu_si512(value + j, values8(x, round));
		}
		for (size_t j = 0; j < m; j++)
			offer(&bin[at[j]], value[j]);
	}
}

/* Returns which of eight bins are empty. Bit i of the vector `empty`: bin i is empty. */
static AVX512 inline __mmask8 which_empty8(__m512i at, __m512i empty)
{
	__m512i word = _mm512_permutexvar_epi64(_mm512_srli_epi64(at, 6), empty);

	return _mm512_test_epi64_mask(_mm512_rorv_epi64(word, at), _mm512_set1_epi64(1));
}

/* Offers the hashes whose bins are empty. Collects the hashes of a batch first: a loop over those
 * of one vector would end at random. */
static AVX512 void offer_to_empty(
    const uint64_t *h, size_t n, unsigned round, unsigned bins, __m512i empty, uint64_t *bin)
{
	uint64_t chosen[BATCH + 8];

	for (size_t i = 0, m; i < n; i += m) {
		size_t k = 0;

		m = n - i < BATCH ? n - i : BATCH;
		for (size_t j = 0; j < m; j += 8) {
			__mmask8 part = first(m - j);
			__m512i x = mix8(_mm512_maskz_loadu_epi64(part, h + i + j), round);

			part &= which_empty8(bins8(x, bins), empty);
			_mm512_storeu_si512(chosen + k, _mm512_maskz_compress_epi64(part, x));
			k += (unsigned)__builtin_popcount(part);
		}
		for (size_t j = 0; j < k; j++)
			offer(&bin[(chosen[j] >> 32) * bins >> 32],
			    tag_of(round) | (chosen[j] & SH_MINHASH_VALUE_MASK));
	}
}

/* Returns the set of empty bins among the first 64. */
static AVX512 uint64_t find_empty64(const uint64_t *bin, unsigned bins)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < 64 && i < bins; i += 8) {
		__mmask8 part = first(bins - i);

		part = _mm512_mask_cmpeq_epi64_mask(part, _mm512_maskz_loadu_epi64(part, bin + i),
		    _mm512_set1_epi64((long long)SH_MINHASH_EMPTY));
		word |= (uint64_t)part << i;
	}
	return word;
}

/* Returns the number of empty bins. Sets *empty to their set when there are at most FEW_BINS
 * bins. */
static AVX512 unsigned find_empty(const uint64_t *bin, unsigned bins, __m512i *empty)
{
	unsigned n = 0;

	*empty = _mm512_setzero_si512();
	for (unsigned i = 0; i < bins; i += 64) {
		uint64_t word = find_empty64(bin + i, bins - i);

		n += (unsigned)__builtin_popcountll(word);
		*empty = _mm512_mask_set1_epi64(*empty, (__mmask8)(1u << i / 64), (long long)word);
	}
	return n;
}

static AVX512 bool fill_avx512(
    const uint64_t *h, size_t n, unsigned bins, uint64_t *bin, unsigned *filled)
{
	unsigned left;
	__m512i empty;

	memset(bin, 0xff, bins * sizeof *bin); /* SH_MINHASH_EMPTY */
	offer_all(h, n, 0, bins, bin);
	left = find_empty(bin, bins, &empty);
	*filled = bins - left;
	for (unsigned round = 1; round < bins && left; round++) {
		if (bins <= FEW_BINS)
			offer_to_empty(h, n, round, bins, empty, bin);
		else
			offer_all(h, n, round, bins, bin);
		left = find_empty(bin, bins, &empty);
	}
	return left > 0;
}

static AVX512 void bits_avx512(const uint64_t *bin, unsigned bits, uint64_t *out)
{
	const __m512i reverse = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);

	for (unsigned i = 0; i < bits; i += 8) {
		__m512i v = _mm512_permutexvar_epi64(reverse, _mm512_loadu_si512(bin + i));

		out[i / 64] = out[i / 64] << 8 | _mm512_test_epi64_mask(v, _mm512_set1_epi64(1));
	}
}

const struct sh_minhash_kernel sh_minhash_avx512 = { { "avx512", WORDS_AVX512_NEEDS }, fill_avx512,
	bits_avx512 };

#endif
