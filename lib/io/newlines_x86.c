/* Counts LFs with AVX2 and AVX-512. For SSE2, the compiler vectorizes the plain C. */
#include "io/newlines.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* Counters of one byte can count to 255. Two vectors of them, so that consecutive sums are independent. */
static AVX2 uint64_t count_avx2(const char *p, size_t n)
{
	const __m256i lf = _mm256_set1_epi8('\n'), zero = _mm256_setzero_si256();
	__m256i all = zero;
	uint64_t sums[4];

	while (n >= 64) {
		size_t rows = n / 64 < 255 ? n / 64 : 255;
		__m256i even = zero, odd = zero;

		n -= rows * 64;
		for (; rows; rows--, p += 64) {
			const __m256i *v = (const __m256i *)(const void *)p;

			even = _mm256_sub_epi8(even, _mm256_cmpeq_epi8(_mm256_loadu_si256(v), lf));
			odd =
			    _mm256_sub_epi8(odd, _mm256_cmpeq_epi8(_mm256_loadu_si256(v + 1), lf));
		}
		all = _mm256_add_epi64(all, _mm256_sad_epu8(even, zero));
		all = _mm256_add_epi64(all, _mm256_sad_epu8(odd, zero));
	}
	_mm256_storeu_si256((__m256i *)(void *)sums, all);
	return sums[0] + sums[1] + sums[2] + sums[3] + sh_newlines_plain.count(p, n);
}

const struct sh_newlines_kernel sh_newlines_avx2 = { { "avx2", SH_NEEDS_AVX2 }, count_avx2 };

#define AVX512 __attribute__((target("avx512f,avx512bw,popcnt")))

static AVX512 inline uint64_t count64(__m512i v)
{
	return (uint64_t)_mm_popcnt_u64(_mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\n')));
}

static AVX512 uint64_t count_avx512(const char *p, size_t n)
{
	uint64_t lines = 0;

	for (; n >= 64; n -= 64, p += 64)
		lines += count64(_mm512_loadu_si512(p));
	if (n)
		lines += count64(_mm512_maskz_loadu_epi8((UINT64_C(1) << n) - 1, p));
	return lines;
}

const struct sh_newlines_kernel sh_newlines_avx512 = {
	{ "avx512", SH_NEEDS_AVX512 | SH_NEEDS_POPCNT }, count_avx512
};

#endif
