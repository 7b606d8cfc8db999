/* The scan with AVX2 and AVX-512. */
#include "join/near.h"
#include "join/scan_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

/* ---- AVX2: counts bits by a table of nibbles ------------------------------------------ */

#define NAME(f) f##_avx2
#define TARGET  __attribute__((target("avx2,bmi,popcnt")))
#define TILE    struct tile_avx2
#define FAR     __m256i

struct tile_avx2 {
	__m256i v[8];
};

static TARGET inline __m256i far_avx2(unsigned k)
{
	return _mm256_set1_epi64x((long long)k + 1);
}

static TARGET inline __attribute__((always_inline)) void load_avx2(
    struct tile_avx2 *t, const uint64_t *p, const unsigned n)
{
	for (unsigned i = 0; i < 2 * n; i++)
		t->v[i] = _mm256_loadu_si256((const __m256i *)(const void *)(p + (size_t)4 * i));
}

static TARGET inline __attribute__((always_inline)) __m256i count_avx2(__m256i x)
{
	const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0,
	    1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	const __m256i low = _mm256_set1_epi8(15);
	__m256i a = _mm256_shuffle_epi8(counts, _mm256_and_si256(x, low));
	__m256i b = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));

	return _mm256_sad_epu8(_mm256_add_epi8(a, b), _mm256_setzero_si256());
}

/* For eight words: sets all bits of a word that is within the limit. */
#define PAIR_AVX2(i)                                                                               \
	in##i = _mm256_cmpgt_epi64(far, count_avx2(_mm256_xor_si256(t->v[2 * i], y)));             \
	also##i = _mm256_cmpgt_epi64(far, count_avx2(_mm256_xor_si256(t->v[2 * i + 1], y)));       \
	any = _mm256_or_si256(any, _mm256_or_si256(in##i, also##i))

static TARGET inline __attribute__((always_inline)) uint32_t bits_avx2(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(low)) |
	       (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4;
}

static TARGET inline __attribute__((always_inline)) uint32_t compare_avx2(
    const struct tile_avx2 *t, uint64_t word, __m256i far, const unsigned n)
{
	const __m256i none = _mm256_setzero_si256();
	__m256i y = _mm256_set1_epi64x((long long)word), any = none;
	__m256i in0, in1 = none, in2 = none, in3 = none;
	__m256i also0, also1 = none, also2 = none, also3 = none;

	PAIR_AVX2(0);
	if (n > 1) {
		PAIR_AVX2(1);
	}
	if (n > 2) {
		PAIR_AVX2(2);
	}
	if (n > 3) {
		PAIR_AVX2(3);
	}
	if (__builtin_expect(_mm256_testz_si256(any, any), 1))
		return 0;
	return bits_avx2(in0, also0) | bits_avx2(in1, also1) << 8 | bits_avx2(in2, also2) << 16 |
	       bits_avx2(in3, also3) << 24;
}

#include "join/scan_body.h"

__attribute__((target("popcnt"))) static unsigned distance_popcnt(
    const uint64_t *a, const uint64_t *b, unsigned words)
{
	unsigned d = 0;

	for (unsigned i = 0; i < words; i++)
		d += (unsigned)__builtin_popcountll(a[i] ^ b[i]);
	return d;
}

/* ---- AVX-512: counts the bits of 64-bit lanes ---------------------------------- */

#define NAME(f) f##_avx512
#define TARGET  __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,bmi,popcnt")))
#define TILE    struct tile_avx512
#define FAR     __m512i
#define ADD     add_matches_avx512

/* Four members, not an array: the words must stay in registers at -O2 too. */
struct tile_avx512 {
	__m512i a, b, c, d;
};

static TARGET inline __m512i far_avx512(unsigned k)
{
	return _mm512_set1_epi64((long long)k);
}

static TARGET inline __attribute__((always_inline)) void load_avx512(
    struct tile_avx512 *t, const uint64_t *p, const unsigned n)
{
	t->a = _mm512_loadu_si512(p);
	t->b = n > 1 ? _mm512_loadu_si512(p + 8) : t->a;
	t->c = n > 2 ? _mm512_loadu_si512(p + 16) : t->a;
	t->d = n > 3 ? _mm512_loadu_si512(p + 24) : t->a;
}

static TARGET inline __attribute__((always_inline)) __m512i apart_avx512(__m512i x, __m512i y)
{
	return _mm512_popcnt_epi64(_mm512_xor_si512(x, y));
}

static TARGET inline __attribute__((always_inline)) uint32_t near_avx512(__m512i d, __m512i far)
{
	return (uint32_t)_mm512_cmple_epu64_mask(d, far);
}

static TARGET inline __attribute__((always_inline)) uint32_t compare_avx512(
    const struct tile_avx512 *t, uint64_t word, __m512i far, const unsigned n)
{
	__m512i y = _mm512_set1_epi64((long long)word);
	__m512i a = apart_avx512(t->a, y), b = n > 1 ? apart_avx512(t->b, y) : a;
	__m512i c = n > 2 ? apart_avx512(t->c, y) : a, d = n > 3 ? apart_avx512(t->d, y) : c;
	__m512i least = n > 1 ? _mm512_min_epu64(a, b) : a;
	uint32_t hit;

	if (n > 2)
		least = _mm512_min_epu64(least, n > 3 ? _mm512_min_epu64(c, d) : c);
	if (__builtin_expect(near_avx512(least, far) == 0, 1))
		return 0;
	hit = near_avx512(a, far);
	hit |= n > 1 ? near_avx512(b, far) << 8 : 0;
	hit |= n > 2 ? near_avx512(c, far) << 16 : 0;
	return hit | (n > 3 ? near_avx512(d, far) << 24 : 0);
}

/* As add_matches() of scan_body.h, eight words at once. */
static TARGET __attribute__((noinline)) void add_matches_avx512(
    struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y, uint32_t i)
{
	const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
	__m512i word;

	reserve_tile(s);
	y = y == GATHERED ? position_in_y(s, i) : y;
	word = _mm512_set1_epi64((long long)s->y[y]);
	for (; hit != 0; hit >>= 8, x += 8) {
		__m512i difference = _mm512_xor_si512(_mm512_loadu_si512(s->x + x), word);
		__m512i at = _mm512_set1_epi64((long long)((uint64_t)y << 32 | x));
		uint32_t eight = hit & 255;

		for (unsigned e = 0; e < s->earlier_n; e++) {
			__m512i mask = _mm512_set1_epi64((long long)s->earlier[e].mask);
			__m512i d = _mm512_popcnt_epi64(_mm512_and_si512(difference, mask));

			eight &= ~near_avx512(d, far_avx512(s->earlier[e].radius));
		}
		_mm512_storeu_si512(&s->match[s->matches],
		    _mm512_maskz_compress_epi64((__mmask8)eight, _mm512_add_epi64(at, lanes)));
		s->matches += (size_t)_mm_popcnt_u32(eight);
	}
}

#include "join/scan_body.h"

const struct sh_kernel sh_kernel_avx2 = { { "avx2",
					      SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT },
	scan_avx2, sh_near_avx2, distance_popcnt };

const struct sh_kernel sh_kernel_avx512 = {
	{ "avx512", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT | SH_NEEDS_AVX512 |
			SH_NEEDS_AVX512_VL | SH_NEEDS_AVX512_VPOPCNTDQ },
	scan_avx512, sh_near_avx2, distance_popcnt
};

#endif
