/* SPDX-License-Identifier: MIT */
#include "join/scan.h"

#include <string.h>

/* Passes on the neighbours of bucket v that have too many candidates. */
static bool scan_large(const struct sh_scan *s, uint32_t v)
{
	uint64_t size = s->x_start[v + 1] - s->x_start[v];

	if (s->self && size * size / 2 > s->limit && !s->large(s->ctx, v, v))
		return false;
	for (uint32_t f = s->self; f < s->flips; f++) {
		uint32_t u = v ^ s->flip[f];

		if (!(s->self && u < v) && size * (s->y_start[u + 1] - s->y_start[u]) > s->limit &&
		    !s->large(s->ctx, v, u))
			return false;
	}
	return true;
}

/* ---- plain C: the registers of 128 bits that most processors have ---------------------- */

#define NAME(f) f##_plain
#define TARGET
#define VECTOR two

typedef uint64_t two __attribute__((vector_size(16)));

static inline two count_plain(two x)
{
	x -= (x >> 1) & 0x5555555555555555U;
	x = (x & 0x3333333333333333U) + ((x >> 2) & 0x3333333333333333U);
	x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FU;
	x += x >> 32;
	x += x >> 16;
	x += x >> 8;
	return x & 0x7FU;
}

static inline two least_plain(two x, two y)
{
	two less = -((x - y) >> 63);

	return y ^ ((x ^ y) & less);
}

static inline uint32_t signs_plain(two x)
{
	return (uint32_t)(x[0] >> 63 | x[1] >> 63 << 1);
}

#include "join/scan_body.h"

static const struct sh_kernel plain = { { "plain", SH_NEEDS_NOTHING }, scan_plain };

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

/* ---- AVX2: counts bits by a table of nibbles ------------------------------------------- */

#define NAME(f) f##_avx2
#define TARGET  __attribute__((target("avx2,bmi,popcnt")))
#define VECTOR  four

typedef uint64_t four __attribute__((vector_size(32)));

static TARGET inline __attribute__((always_inline)) four count_avx2(four x)
{
	const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0,
	    1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	__m256i a = _mm256_shuffle_epi8(counts, (__m256i)(x & 0x0F0F0F0F0F0F0F0FU));
	__m256i b = _mm256_shuffle_epi8(counts, (__m256i)(x >> 4 & 0x0F0F0F0F0F0F0F0FU));

	return (four)_mm256_sad_epu8(_mm256_add_epi8(a, b), _mm256_setzero_si256());
}

static TARGET inline __attribute__((always_inline)) four least_avx2(four x, four y)
{
	return (four)_mm256_min_epu32((__m256i)x, (__m256i)y);
}

static TARGET inline __attribute__((always_inline)) uint32_t signs_avx2(four x)
{
	return (uint32_t)_mm256_movemask_pd((__m256d)x);
}

#include "join/scan_body.h"

static const struct sh_kernel avx2 = { { "avx2", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT },
	scan_avx2 };

/* ---- AVX-512: one instruction counts the bits of a word. A join at distance 8 or 10 then takes
 * less than half the time. */

#define NAME(f) f##_avx512
#define TARGET  __attribute__((target("avx512f,avx512dq,avx512vpopcntdq,bmi,popcnt")))
#define VECTOR  eight

typedef uint64_t eight __attribute__((vector_size(64)));

static TARGET inline __attribute__((always_inline)) eight count_avx512(eight x)
{
	return (eight)_mm512_popcnt_epi64((__m512i)x);
}

static TARGET inline __attribute__((always_inline)) eight least_avx512(eight x, eight y)
{
	return (eight)_mm512_min_epu64((__m512i)x, (__m512i)y);
}

static TARGET inline __attribute__((always_inline)) uint32_t signs_avx512(eight x)
{
	return _mm512_movepi64_mask((__m512i)x);
}

#include "join/scan_body.h"

static const struct sh_kernel avx512 = { { "avx512", SH_NEEDS_BMI | SH_NEEDS_POPCNT |
							 SH_NEEDS_AVX512 | SH_NEEDS_AVX512_DQ |
							 SH_NEEDS_AVX512_VPOPCNTDQ },
	scan_avx512 };

#endif

/* ---- kernels ---------------------------------------------------------------------------- */

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__) && defined(__GNUC__)
	&avx512.variant,
	&avx2.variant,
#endif
	&plain.variant,
};

const struct sh_kernel *sh_kernel_at(unsigned i)
{
	return (const struct sh_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}
