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

struct round {
	__m512i add;  /* to a hash, before it is mixed */
	__m512i bins; /* their number */
	uint64_t tag; /* the round's number, in a value */
};

static AVX512 inline struct round begin_round(unsigned round, unsigned bins)
{
	return (struct round){
		_mm512_set1_epi64((long long)((round + 1) * SH_MIX_GOLDEN)),
		_mm512_set1_epi64(bins),
		(uint64_t)round << SH_MINHASH_VALUE_BITS,
	};
}

static AVX512 inline __m512i mix8(const struct round *r, __m512i h)
{
	return moremur8(_mm512_add_epi64(h, r->add));
}

/* Returns the bins of eight mixed hashes. */
static AVX512 inline __m512i bins8(const struct round *r, __m512i x)
{
	return _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(x, 32), r->bins), 32);
}

/* Offers mixed hashes to their bins. Has no branch on the values, which are random. */
static void offer(
    const struct round *r, const uint64_t *at, const uint64_t *x, size_t n, uint64_t *bin)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = r->tag | (x[i] & SH_MINHASH_VALUE_MASK), old = bin[at[i]];

		bin[at[i]] = old < value ? old : value;
	}
}

/* Offers all hashes to their bins. */
static AVX512 void offer_all(const uint64_t *h, size_t n, const struct round *r, uint64_t *bin)
{
	uint64_t at[BATCH], x[BATCH];

	for (size_t i = 0, m; i < n; i += m) {
		m = n - i < BATCH ? n - i : BATCH;
		for (size_t j = 0; j < m; j += 8) {
			__m512i v = mix8(r, _mm512_maskz_loadu_epi64(first(m - j), h + i + j));

			_mm512_storeu_si512(at + j, bins8(r, v));
			_mm512_storeu_si512(x + j, v);
		}
		offer(r, at, x, m, bin);
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
    const uint64_t *h, size_t n, const struct round *r, __m512i empty, uint64_t *bin)
{
	uint64_t at[BATCH + 8], x[BATCH + 8];

	for (size_t i = 0, m; i < n; i += m) {
		size_t chosen = 0;

		m = n - i < BATCH ? n - i : BATCH;
		for (size_t j = 0; j < m; j += 8) {
			__mmask8 part = first(m - j);
			__m512i v = mix8(r, _mm512_maskz_loadu_epi64(part, h + i + j));
			__m512i to = bins8(r, v);

			part &= which_empty8(to, empty);
			_mm512_storeu_si512(at + chosen, _mm512_maskz_compress_epi64(part, to));
			_mm512_storeu_si512(x + chosen, _mm512_maskz_compress_epi64(part, v));
			chosen += (unsigned)__builtin_popcount(part);
		}
		offer(r, at, x, chosen, bin);
	}
}

/* Returns the number of empty bins. Sets *empty to their set when there are at most FEW_BINS
 * bins. */
static AVX512 unsigned find_empty(const uint64_t *bin, unsigned bins, __m512i *empty)
{
	unsigned n = 0;
	uint64_t word = 0;

	*empty = _mm512_setzero_si512();
	for (unsigned i = 0; i < bins; i += 8) {
		__mmask8 part = first(bins - i);

		part = _mm512_mask_cmpeq_epi64_mask(part, _mm512_maskz_loadu_epi64(part, bin + i),
		    _mm512_set1_epi64((long long)SH_MINHASH_EMPTY));
		n += (unsigned)__builtin_popcount(part);
		word = (i % 64 ? word : 0) | (uint64_t)part << i % 64;
		*empty = _mm512_mask_set1_epi64(*empty, (__mmask8)(1u << i / 64), (long long)word);
	}
	return n;
}

static AVX512 unsigned fill_avx512(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin)
{
	struct round r = begin_round(0, bins);
	unsigned left, filled;
	__m512i empty;

	memset(bin, 0xff, bins * sizeof *bin); /* SH_MINHASH_EMPTY */
	offer_all(h, n, &r, bin);
	left = find_empty(bin, bins, &empty);
	filled = bins - left;
	for (unsigned round = 1; round < bins && left; round++) {
		r = begin_round(round, bins);
		if (bins <= FEW_BINS)
			offer_to_empty(h, n, &r, empty, bin);
		else
			offer_all(h, n, &r, bin);
		left = find_empty(bin, bins, &empty);
	}
	return filled;
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
