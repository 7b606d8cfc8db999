/* SPDX-License-Identifier: MIT */
/* The scan with AVX2 and AVX-512. AVX-512 counts the bits of a word by one instruction: a join at
 * distance 8 or 10 then takes less than half the time. */
#include "join/scan.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

extern const struct sh_kernel sh_kernel_avx2, sh_kernel_avx512;

/* ---- AVX2: counts bits by a table of nibbles ------------------------------------------ */

#define NAME(f) f##_avx2
#define TARGET  __attribute__((target("avx2,bmi,popcnt")))
#define TILE    struct tile_avx2
#define LIMIT   __m256i
#define INLINE  TARGET inline __attribute__((always_inline))

struct tile_avx2 {
	__m256i v[8];
};

static TARGET inline __m256i limit_avx2(unsigned k)
{
	return _mm256_set1_epi64x((long long)k + 1);
}

static INLINE void load_avx2(struct tile_avx2 *t, const uint64_t *p, const unsigned n)
{
	for (unsigned i = 0; i < 2 * n; i++)
		t->v[i] = _mm256_loadu_si256((const __m256i *)(const void *)(p + (size_t)4 * i));
}

/* Returns all ones for each word that differs from y in less than `above` bits. */
static INLINE __m256i within_avx2(__m256i word, __m256i y, __m256i above)
{
	const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0,
	    1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	const __m256i low = _mm256_set1_epi8(15);
	__m256i x = _mm256_xor_si256(word, y);
	__m256i a = _mm256_shuffle_epi8(counts, _mm256_and_si256(x, low));
	__m256i b = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));
	__m256i count = _mm256_sad_epu8(_mm256_add_epi8(a, b), _mm256_setzero_si256());

	return _mm256_cmpgt_epi64(above, count);
}

static INLINE uint32_t compare_avx2(
    const struct tile_avx2 *t, uint64_t word, __m256i above, const unsigned n)
{
	__m256i y = _mm256_set1_epi64x((long long)word), any = _mm256_setzero_si256(), in[8];
	uint32_t hit = 0;

#pragma GCC unroll 8
	for (unsigned i = 0; i < 2 * n; i++) {
		in[i] = within_avx2(t->v[i], y, above);
		any = _mm256_or_si256(any, in[i]);
	}
	if (__builtin_expect(_mm256_testz_si256(any, any), 1))
		return 0;
#pragma GCC unroll 8
	for (unsigned i = 0; i < 2 * n; i++)
		hit |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(in[i])) << 4 * i;
	return hit;
}

#include "join/scan_body.h"
#undef INLINE

const struct sh_kernel sh_kernel_avx2 = {
	{ "avx2", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT }, scan_avx2
};

/* ---- AVX-512: counts the bits of 64-bit lanes ---------------------------------- */

#define NAME(f) f##_avx512
#define TARGET  __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,bmi,popcnt")))
#define TILE    struct tile_avx512
#define LIMIT   __m512i
#define INLINE  TARGET inline __attribute__((always_inline))

struct tile_avx512 {
	__m512i v[4];
};

static TARGET inline __m512i limit_avx512(unsigned k)
{
	return _mm512_set1_epi64((long long)k);
}

static INLINE void load_avx512(struct tile_avx512 *t, const uint64_t *p, const unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		t->v[i] = _mm512_loadu_si512(p + (size_t)8 * i);
}

static INLINE uint32_t compare_avx512(
    const struct tile_avx512 *t, uint64_t word, __m512i k, const unsigned n)
{
	__m512i y = _mm512_set1_epi64((long long)word), least, count[4];
	uint32_t hit = 0;

	least = count[0] = _mm512_popcnt_epi64(_mm512_xor_si512(t->v[0], y));
#pragma GCC unroll 4
	for (unsigned i = 1; i < n; i++) {
		count[i] = _mm512_popcnt_epi64(_mm512_xor_si512(t->v[i], y));
		least = _mm512_min_epu64(least, count[i]);
	}
	if (__builtin_expect(_mm512_cmple_epu64_mask(least, k) == 0, 1))
		return 0;
#pragma GCC unroll 4
	for (unsigned i = 0; i < n; i++)
		hit |= (uint32_t)_mm512_cmple_epu64_mask(count[i], k) << 8 * i;
	return hit;
}

#include "join/scan_body.h"
#undef INLINE

/* ---- AVX-512, folded: for a small k, in half the time -------------------------- */

#define NAME(f) f##_folded
#define TARGET  __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,bmi,popcnt")))
#define TILE    struct tile_folded
#define LIMIT   __m512i
#define INLINE  TARGET inline __attribute__((always_inline))

enum { FOLDED_MAX = 7 }; /* with a larger k, too many words that differ more pass */

/* The upper half of each word XOR its lower half: where two words differ in at most k bits, so do
 * these. */
struct tile_folded {
	__m512i v[2];
};

static TARGET inline __m512i limit_folded(unsigned k)
{
	return _mm512_set1_epi32((int)k);
}

static INLINE __m256i fold(const uint64_t *p)
{
	__m512i x = _mm512_loadu_si512(p);

	return _mm512_cvtepi64_epi32(_mm512_xor_si512(x, _mm512_srli_epi64(x, 32)));
}

static INLINE void load_folded(struct tile_folded *t, const uint64_t *p, const unsigned n)
{
	for (unsigned i = 0; 2 * i < n; i++, p += 16)
		t->v[i] = _mm512_inserti64x4(_mm512_castsi256_si512(fold(p)), fold(p + 8), 1);
}

static INLINE uint32_t compare_folded(
    const struct tile_folded *t, uint64_t word, __m512i k, const unsigned n)
{
	__m512i y = _mm512_set1_epi32((int)(uint32_t)(word ^ word >> 32)), a, b;

	a = _mm512_popcnt_epi32(_mm512_xor_si512(t->v[0], y));
	if (n <= 2)
		return _mm512_cmple_epu32_mask(a, k);
	b = _mm512_popcnt_epi32(_mm512_xor_si512(t->v[1], y));
	if (__builtin_expect(_mm512_cmple_epu32_mask(_mm512_min_epu32(a, b), k) == 0, 1))
		return 0;
	return _mm512_cmple_epu32_mask(a, k) | (uint32_t)_mm512_cmple_epu32_mask(b, k) << 16;
}

#include "join/scan_body.h"
#undef INLINE

static bool scan_either(const struct sh_scan *s, uint32_t v, uint32_t from, uint32_t to)
{
	return s->k <= FOLDED_MAX ? scan_folded(s, v, from, to) : scan_avx512(s, v, from, to);
}

const struct sh_kernel sh_kernel_avx512 = {
	{ "avx512", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT | SH_NEEDS_AVX512 |
			SH_NEEDS_AVX512_VL | SH_NEEDS_AVX512_VPOPCNTDQ },
	scan_either
};

#endif
