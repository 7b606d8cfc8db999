/* The scan with AVX2 and AVX-512. */
#include "join/scan_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

/* ---- AVX2: a table of nibble counts ------------------------------------------ */

#define NAME(f)     f##_avx2
#define TARGET      __attribute__((target("avx2,bmi,popcnt")))
#define TILE        struct tile_avx2
#define FAR         __m256i
#define WORD        uint64_t
#define WORDS(s, f) ((s)->f)
#define GROUP       8

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

/* Eight words: all bits of those within the limit. */
#define PAIR_AVX2(i)                                                                               \
	in##i = _mm256_cmpgt_epi64(far, count_avx2(_mm256_xor_si256(t->v[2 * i], y)));             \
	also##i = _mm256_cmpgt_epi64(far, count_avx2(_mm256_xor_si256(t->v[2 * i + 1], y)));       \
	any = _mm256_or_si256(any, _mm256_or_si256(in##i, also##i))

static TARGET inline __attribute__((always_inline)) uint32_t bits_avx2(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(low)) |
	       (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4;
}

static TARGET inline __attribute__((always_inline)) uint32_t match_avx2(
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

/* ---- AVX-512 with a popcount of 64-bit lanes ---------------------------------- */

#define NAME(f)     f##_avx512
#define TARGET      __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,bmi,popcnt")))
#define TILE        struct tile_avx512
#define FAR         __m512i
#define WORD        uint64_t
#define WORDS(s, f) ((s)->f)
#define GROUP       8
#define ADD         add_spots_avx512

/* Written out, not looped over: the words must stay in registers at -O2 too. */
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

static TARGET inline __attribute__((always_inline)) uint32_t match_avx512(
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

/* Lanes that differ in at most `radius` bits of the mask. */
static TARGET inline __attribute__((always_inline)) uint32_t found_avx512(
    __m512i difference, __m512i mask, unsigned radius)
{
	if (radius == 0)
		return (uint32_t)_mm512_testn_epi64_mask(difference, mask);
	return near_avx512(
	    _mm512_popcnt_epi64(_mm512_and_si512(difference, mask)), far_avx512(radius));
}

/* The hits that no earlier block has found; d has the differences of their words. */
static TARGET inline __attribute__((always_inline)) uint32_t fresh_avx512(
    const struct sh_scan *s, const struct tile_avx512 *d, uint32_t hit)
{
	for (unsigned i = 0; i < s->earlier_n; i++) {
		__m512i mask = _mm512_set1_epi64((long long)s->earlier[i].mask);
		unsigned radius = s->earlier[i].radius;

		hit &= ~(found_avx512(d->a, mask, radius) | found_avx512(d->b, mask, radius) << 8 |
			 found_avx512(d->c, mask, radius) << 16 |
			 found_avx512(d->d, mask, radius) << 24);
	}
	return hit;
}

/* Spots of the hits, eight lanes at once. */
static TARGET inline __attribute__((always_inline)) void append_avx512(
    struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y)
{
	__m512i spot = _mm512_add_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
	    _mm512_set1_epi64((long long)((uint64_t)y << 32 | x)));

	for (; hit != 0; hit >>= 8) {
		uint32_t eight = hit & 255;

		_mm512_storeu_si512(
		    &s->spot[s->spots], _mm512_maskz_compress_epi64((__mmask8)eight, spot));
		s->spots += (size_t)_mm_popcnt_u32(eight);
		spot = _mm512_add_epi64(spot, _mm512_set1_epi64(8));
	}
}

static TARGET inline __attribute__((always_inline)) void differ_avx512(
    struct tile_avx512 *d, const struct sh_scan *s, uint32_t x, uint32_t y)
{
	__m512i word = _mm512_set1_epi64((long long)s->y[y]);

	load_avx512(d, s->x + x, 4);
	d->a = _mm512_xor_si512(d->a, word);
	d->b = _mm512_xor_si512(d->b, word);
	d->c = _mm512_xor_si512(d->c, word);
	d->d = _mm512_xor_si512(d->d, word);
}

static TARGET __attribute__((noinline)) void add_spots_avx512(
    struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y, uint32_t i)
{
	struct tile_avx512 d;

	room_for_tile(s);
	y = y == NEAR ? came_from(s, i) : y;
	s->near_pairs += (uint64_t)_mm_popcnt_u32(hit);
	if (s->earlier_n > 0) {
		differ_avx512(&d, s, x, y);
		hit = fresh_avx512(s, &d, hit);
	}
	append_avx512(s, x, hit, y);
}

#include "join/scan_body.h"

/* ---- the same on short forms --------------------------------------------------- */

#define SHORT
#define NAME(f)     f##_avx512short
#define TARGET      __attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,bmi,popcnt")))
#define TILE        struct short_avx512
#define FAR         __m512i
#define WORD        uint32_t
#define WORDS(s, f) ((s)->f##32)
#define GROUP       16
#define ADD         add_verified

struct short_avx512 {
	__m512i a, b;
};

static TARGET inline __m512i far_avx512short(unsigned k)
{
	return _mm512_set1_epi32((int)k);
}

static TARGET inline __attribute__((always_inline)) void load_avx512short(
    struct short_avx512 *t, const uint32_t *p, const unsigned n)
{
	t->a = _mm512_loadu_si512(p);
	t->b = n > 1 ? _mm512_loadu_si512(p + 16) : t->a;
}

static TARGET inline __attribute__((always_inline)) __m512i apart_avx512short(__m512i x, __m512i y)
{
	return _mm512_popcnt_epi32(_mm512_xor_si512(x, y));
}

static TARGET inline __attribute__((always_inline)) uint32_t match_avx512short(
    const struct short_avx512 *t, uint32_t word, __m512i far, const unsigned n)
{
	__m512i y = _mm512_set1_epi32((int)word);
	uint32_t hit = _mm512_cmple_epu32_mask(apart_avx512short(t->a, y), far);

	if (n > 1)
		hit |= (uint32_t)_mm512_cmple_epu32_mask(apart_avx512short(t->b, y), far) << 16;
	return hit;
}

static TARGET inline __attribute__((always_inline)) bool neither_avx512short(
    const struct short_avx512 *t, const uint32_t *word, __m512i far, const unsigned n)
{
	__m512i y = _mm512_set1_epi32((int)word[0]), z = _mm512_set1_epi32((int)word[1]);
	__m512i least = _mm512_min_epu32(apart_avx512short(t->a, y), apart_avx512short(t->a, z));

	if (n > 1)
		least = _mm512_min_epu32(least,
		    _mm512_min_epu32(apart_avx512short(t->b, y), apart_avx512short(t->b, z)));
	return __builtin_expect(_mm512_cmple_epu32_mask(least, far) == 0, 1);
}

/* As add_spots_avx512() does, for those of the hits at x that the whole words are as well. */
static TARGET __attribute__((noinline)) void add_verified(
    struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y, uint32_t i)
{
	struct tile_avx512 d;
	__m512i far = far_avx512(s->k);
	uint32_t good;

	room_for_tile(s);
	y = y == NEAR ? came_from(s, i) : y;
	differ_avx512(&d, s, x, y);
	good = near_avx512(_mm512_popcnt_epi64(d.a), far);
	good |= near_avx512(_mm512_popcnt_epi64(d.b), far) << 8;
	good |= near_avx512(_mm512_popcnt_epi64(d.c), far) << 16;
	good |= near_avx512(_mm512_popcnt_epi64(d.d), far) << 24;
	hit &= good;
	s->near_pairs += (uint64_t)_mm_popcnt_u32(hit);
	append_avx512(s, x, fresh_avx512(s, &d, hit), y);
}

/* Spots x + i, x + i + h for the 32 or 16 lanes i at once. */
static TARGET __attribute__((noinline)) void slide_spots(
    struct sh_scan *s, uint32_t x, uint32_t h, uint32_t hit, uint32_t left)
{
	if (left < SH_SCAN_TILE)
		hit &= (UINT32_C(1) << left) - 1;
	for (; hit != 0; hit &= hit - 1) {
		uint32_t y = x + (uint32_t)__builtin_ctz(hit);
		uint64_t difference = s->x[y] ^ s->x[y + h];
		bool near = _mm_popcnt_u64(difference) <= s->k;

		s->spot[s->spots] = (struct sh_spot){ y + h, y };
		s->spots += near & !found_before(s, difference);
		s->near_pairs += near;
	}
}

/* Words slide past each other: i meets i + 1, then i + 2, so that none meets itself. */
static TARGET inline __attribute__((always_inline)) void slide(
    struct sh_scan *s, uint32_t x, uint32_t left, const unsigned n)
{
	const uint32_t *p = s->x32 + x;
	__m512i far = far_avx512short(s->k);
	struct short_avx512 t;

	load_avx512short(&t, p, n);
	for (uint32_t h = 1; h < left; h++) {
		__m512i a = apart_avx512short(t.a, _mm512_loadu_si512(p + h)), b = a;
		uint32_t hit;

		if (n > 1)
			b = apart_avx512short(t.b, _mm512_loadu_si512(p + h + 16));
		if (__builtin_expect(
			_mm512_cmple_epu32_mask(n > 1 ? _mm512_min_epu32(a, b) : a, far) == 0, 1))
			continue;
		hit = _mm512_cmple_epu32_mask(a, far);
		if (n > 1)
			hit |= (uint32_t)_mm512_cmple_epu32_mask(b, far) << 16;
		slide_spots(s, x, h, hit, left - h);
	}
}

static TARGET void quick_avx512short(struct sh_scan *s, uint32_t x, uint32_t x_end)
{
	for (; x < x_end; x += SH_SCAN_TILE) {
		uint32_t left = x_end - x;

		if (left <= 17)
			slide(s, x, left, 1);
		else
			slide(s, x, left, 2);
	}
}

#include "join/scan_body.h"

__attribute__((target("avx512f,avx512vl"))) static void shorten_avx512(
    uint32_t *to, const uint64_t *word, size_t n, unsigned shift)
{
	const __m512i by = _mm512_set1_epi64((long long)shift);
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		__m512i x = _mm512_rorv_epi64(_mm512_loadu_si512(word + i), by);

		_mm256_storeu_si256((__m256i *)(void *)(to + i), _mm512_cvtepi64_epi32(x));
	}
	for (; i < n; i++)
		to[i] = (uint32_t)(word[i] >> shift | word[i] << (-shift & 63));
}

const struct sh_kernel sh_kernel_avx2 = { { "avx2",
					      SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT },
	scan_avx2, NULL, NULL, sh_near_avx2, distance_popcnt };

const struct sh_kernel sh_kernel_avx512 = {
	{ "avx512", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT | SH_NEEDS_AVX512 |
			SH_NEEDS_AVX512_VL | SH_NEEDS_AVX512_VPOPCNTDQ },
	scan_avx512, scan_avx512short, shorten_avx512, sh_near_avx512, distance_popcnt
};

#endif
