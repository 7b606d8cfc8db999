/* Marks with SSE2, which every x86-64 has, and AVX2. */
#include "record/marks.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* Returns a mask of the first n bits, for the last block. */
static inline uint64_t first_bits(size_t n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* ---- SSE2 ---------------------------------------------------------------------------- */

/* Returns a bit for each byte that is one of two characters. */
static inline uint64_t either16(const char *p, char a, char b)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);

	v = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(a)), _mm_cmpeq_epi8(v, _mm_set1_epi8(b)));
	return (unsigned)_mm_movemask_epi8(v);
}

static inline uint64_t either_sse2(const char *p, char a, char b)
{
	return either16(p, a, b) | either16(p + 16, a, b) << 16 | either16(p + 32, a, b) << 32 |
	       either16(p + 48, a, b) << 48;
}

#define NAME(f) f##_sse2
#define TARGET
#define CTZ(x) (unsigned)__builtin_ctzll((x) | UINT64_C(1) << 63)
#include "record/marks_body.h"

const struct sh_marks_kernel sh_marks_sse2 = { { "sse2", SH_NEEDS_NOTHING }, find_sse2 };

/* ---- AVX2 ---------------------------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

static AVX2 inline uint64_t either32(const char *p, char a, char b)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);

	v = _mm256_or_si256(
	    _mm256_cmpeq_epi8(v, _mm256_set1_epi8(a)), _mm256_cmpeq_epi8(v, _mm256_set1_epi8(b)));
	return (unsigned)_mm256_movemask_epi8(v);
}

static AVX2 inline uint64_t either_avx2(const char *p, char a, char b)
{
	return either32(p, a, b) | either32(p + 32, a, b) << 32;
}

#define NAME(f) f##_avx2
#define TARGET  AVX2
#define CTZ(x)  (unsigned)_tzcnt_u64(x)
#include "record/marks_body.h"

const struct sh_marks_kernel sh_marks_avx2 = {
	{ "avx2", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT }, find_avx2
};

#endif
