/* SPDX-License-Identifier: MIT */
/* Loads eight tokens at once as words of 64 bits, for the vector kernels with AVX-512. */
#ifndef SH_HASH_WORDS_X86_H
#define SH_HASH_WORDS_X86_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/variant.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,bmi,bmi2")))

enum {
	WORDS_AVX512_NEEDS = SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_AVX512 | SH_NEEDS_AVX512_DQ |
			     SH_NEEDS_AVX512_VL | SH_NEEDS_AVX512_VBMI
};

/* Eight words of 64 bits. The operators of C work on each word. */
typedef uint64_t words8 __attribute__((vector_size(64)));

static AVX512 inline __m128i load16(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Loads the 16 bytes at each of text + start[0..3]. */
static AVX512 inline __m512i collect4(const char *text, const uint32_t *start)
{
	__m256i low = _mm256_inserti128_si256(
	    _mm256_castsi128_si256(load16(text + start[0])), load16(text + start[1]), 1);
	__m256i high = _mm256_inserti128_si256(
	    _mm256_castsi128_si256(load16(text + start[2])), load16(text + start[3]), 1);

	return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* Stores the first and second 8 bytes, padded with zeros, of eight tokens of len bytes. The result
 * is wrong for tokens of more than 16 bytes. Reads 16 bytes of each token. */
static AVX512 inline void tokens8(
    const char *text, const uint32_t *start, words8 len, words8 *a, words8 *b)
{
	const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
	const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
	const __m512i ones = _mm512_set1_epi64(-1);
	__m512i x = collect4(text, start), y = collect4(text, start + 4);
	__m512i bits = (__m512i)(len * 8), drop;

	/* A shift by 64 or more gives 0. */
	drop =
	    _mm512_max_epi64(_mm512_sub_epi64(_mm512_set1_epi64(64), bits), _mm512_setzero_si512());
	*a = (words8)_mm512_permutex2var_epi64(x, even, y) & (words8)_mm512_srlv_epi64(ones, drop);
	drop = _mm512_sub_epi64(_mm512_set1_epi64(128), bits);
	*b = (words8)_mm512_permutex2var_epi64(x, odd, y) & (words8)_mm512_srlv_epi64(ones, drop);
}

/* Returns the lengths of eight tokens in bytes. Bit i of *beyond is 1 when token i
 * has more than 16 bytes. */
static AVX512 inline words8 lengths8(const uint32_t *start, const uint32_t *end, unsigned *beyond)
{
	__m256i n = _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(const void *)end),
	    _mm256_loadu_si256((const __m256i *)(const void *)start));
	/* Uses no mask register: gcc 12 may spill a mask of 8 bits and read 32 bits back. */
	__m256i above = _mm256_cmpgt_epi32(n, _mm256_set1_epi32(16));

	*beyond = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(above));
	return (words8)_mm512_cvtepu32_epi64(n);
}

/* Returns the mask of the first n of eight lanes; of all lanes when n >= 8. */
static AVX512 inline __mmask8 first(size_t n)
{
	return (__mmask8)(n < 8 ? (1u << n) - 1 : 0xff);
}

/* Loads the first n of eight words. The other words become 0. */
static AVX512 inline words8 load8(const uint64_t *p, size_t n)
{
	return (words8)_mm512_maskz_loadu_epi64(first(n), p);
}

/* Stores the first n of eight words. */
static AVX512 inline void store8(uint64_t *p, words8 x, size_t n)
{
	_mm512_mask_storeu_epi64(p, first(n), (__m512i)x);
}

#endif
