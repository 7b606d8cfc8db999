#include "pair/scan.h"

#include <string.h>

#include "base/bits.h"
#include "base/neon.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86 1
#include <immintrin.h>
#endif

#define NEAR UINT32_MAX

enum {
	SMALL = 64,  /* words of a bucket whose spots are found in any order first */
	COPIED = 16, /* words copied together */
};

static void end_unless(struct sh_scan *s, bool going_on)
{
	if (!going_on)
		s->ended = true;
}

static bool flush_spots(struct sh_scan *s)
{
	size_t n = s->spots;

	s->spots = 0;
	return !s->ended && (n == 0 || s->flush(s->ctx, s->spot, n));
}

/* The position in y of the word at near[i]. */
static uint32_t came_from(const struct sh_scan *s, uint32_t i)
{
	size_t low = 0, high = s->pieces;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (s->piece_at[mid] <= i)
			low = mid;
		else
			high = mid;
	}
	return s->piece_from[low] + (i - s->piece_at[low]);
}

static inline void append_spots(struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y)
{
	if (s->spots + SH_SCAN_TILE > SH_SCAN_SPOTS)
		end_unless(s, flush_spots(s));
	for (; hit != 0; hit &= hit - 1)
		s->spot[s->spots++] = (struct sh_spot){ x + (uint32_t)__builtin_ctz(hit), y };
}

/* One spot for each bit of hit. y is a position, or NEAR for near[i]. */
static __attribute__((noinline)) void add_spots(
    struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y, uint32_t i)
{
	append_spots(s, x, hit, y == NEAR ? came_from(s, i) : y);
}

/* ---- plain C --------------------------------------------------------------- */

#define NAME(f) f##_plain
#define TARGET
#define TILE        struct tile_plain
#define FAR         unsigned
#define WORD        uint64_t
#define WORDS(s, f) ((s)->f)
#define GROUP       8

/* Two words: every processor with 128-bit registers, the compiler sees to it. */
typedef uint64_t two __attribute__((vector_size(16)));

struct tile_plain {
	two v[SH_SCAN_TILE / 2];
};

static unsigned far_plain(unsigned k)
{
	return k;
}

static inline void load_plain(struct tile_plain *t, const uint64_t *p, unsigned n)
{
	memcpy(t->v, p, n * 64);
}

static inline two both(uint64_t x)
{
	return (two){ x, x };
}

static inline two count_plain(two x)
{
	x -= (x >> 1) & both(0x5555555555555555ULL);
	x = (x & both(0x3333333333333333ULL)) + ((x >> 2) & both(0x3333333333333333ULL));
	x = (x + (x >> 4)) & both(0x0F0F0F0F0F0F0F0FULL);
	x += x >> 32;
	x += x >> 16;
	x += x >> 8;
	return x & both(0x7F);
}

static inline unsigned popcount_plain(uint64_t x)
{
	return (unsigned)count_plain(both(x))[0];
}

static inline uint32_t match_plain(const struct tile_plain *t, uint64_t y, unsigned k, unsigned n)
{
	two any = both(0), all = both(y), far = both((uint64_t)k + 1);
	uint32_t hit = 0;

	/* A count minus (k + 1) has its top bit set when it is within k. */
	for (unsigned i = 0; i < 4 * n; i++)
		any |= count_plain(t->v[i] ^ all) - far;
	if ((any[0] | any[1]) >> 63 == 0)
		return 0;
	for (unsigned i = 0; i < 4 * n; i++) {
		two near = (count_plain(t->v[i] ^ all) - far) >> 63;

		hit |= (uint32_t)(near[0] | near[1] << 1) << (2 * i);
	}
	return hit;
}

#include "pair/scan_body.h"

static unsigned distance_plain(const uint64_t *a, const uint64_t *b, unsigned words)
{
	unsigned d = 0;

	for (unsigned i = 0; i < words; i++)
		d += popcount_plain(a[i] ^ b[i]);
	return d;
}

#ifdef HAVE_X86

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

#include "pair/scan_body.h"

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

#include "pair/scan_body.h"

/* ---- the same on short forms --------------------------------------------------- */

#define SHORT
#define NAME(f)     f##_avx512short
#define TARGET      __attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,bmi,popcnt")))
#define TILE        struct short_avx512
#define FAR         __m512i
#define WORD        uint32_t
#define WORDS(s, f) ((s)->f##32)
#define GROUP       16

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

/* The same for those of the hits at x that the whole words are as well. */
static TARGET __attribute__((noinline)) void add_verified(
    struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y, uint32_t i)
{
	struct tile_avx512 t;
	__m512i far = far_avx512(s->k), word;
	uint32_t good;

	if (y == NEAR)
		y = came_from(s, i);
	word = _mm512_set1_epi64((long long)s->y[y]);
	load_avx512(&t, s->x + x, 4);
	good = near_avx512(apart_avx512(t.a, word), far);
	good |= near_avx512(apart_avx512(t.b, word), far) << 8;
	good |= near_avx512(apart_avx512(t.c, word), far) << 16;
	good |= near_avx512(apart_avx512(t.d, word), far) << 24;
	append_spots(s, x, hit & good, y);
}

/* Spots x + i, x + i + h for the 32 or 16 lanes i at once. */
static TARGET __attribute__((noinline)) void slide_spots(
    struct sh_scan *s, uint32_t x, uint32_t h, uint32_t hit, uint32_t left)
{
	if (left < SH_SCAN_TILE)
		hit &= (UINT32_C(1) << left) - 1;
	for (; hit != 0; hit &= hit - 1) {
		uint32_t y = x + (uint32_t)__builtin_ctz(hit);

		if (_mm_popcnt_u64(s->x[y] ^ s->x[y + h]) <= s->k)
			s->spot[s->spots++] = (struct sh_spot){ y + h, y };
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

#include "pair/scan_body.h"

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

#endif

#if defined(__aarch64__)

/* ---- NEON: bits counted in bytes, neighbours added up to a byte a word ------------ */

#define NAME(f) f##_neon
#define TARGET
#define TILE        struct tile_neon
#define FAR         uint8x16_t
#define WORD        uint64_t
#define WORDS(s, f) ((s)->f)
#define GROUP       8

struct tile_neon {
	uint8x16_t v[SH_SCAN_TILE / 2];
};

/* A distance is at most 64. */
static inline uint8x16_t far_neon(unsigned k)
{
	return vdupq_n_u8(k < 64 ? (uint8_t)k : 64);
}

static inline __attribute__((always_inline)) void load_neon(
    struct tile_neon *t, const uint64_t *p, const unsigned n)
{
	for (unsigned i = 0; i < 4 * n; i++)
		t->v[i] = vreinterpretq_u8_u64(vld1q_u64(p + (size_t)2 * i));
}

static inline __attribute__((always_inline)) uint8x16_t apart_neon(uint8x16_t x, uint8x16_t y)
{
	return vcntq_u8(veorq_u8(x, y));
}

/* Distances of eight words, each in two bytes to be added up. */
static inline __attribute__((always_inline)) uint8x16_t eight_neon(
    const uint8x16_t *v, uint8x16_t y)
{
	return vpaddq_u8(vpaddq_u8(apart_neon(v[0], y), apart_neon(v[1], y)),
	    vpaddq_u8(apart_neon(v[2], y), apart_neon(v[3], y)));
}

/* Words that the tile does not have come out as those before them. */
static inline __attribute__((always_inline)) uint32_t match_neon(
    const struct tile_neon *t, uint64_t word, uint8x16_t far, const unsigned n)
{
	uint8x16_t y = vreinterpretq_u8_u64(vdupq_n_u64(word));
	uint8x16_t a = eight_neon(t->v, y), b = n > 1 ? eight_neon(t->v + 4, y) : a;
	uint8x16_t low = vcleq_u8(vpaddq_u8(a, b), far), high = low;

	if (n > 2) {
		a = eight_neon(t->v + 8, y);
		b = n > 3 ? eight_neon(t->v + 12, y) : a;
		high = vcleq_u8(vpaddq_u8(a, b), far);
	}
	if (__builtin_expect(!sh_neon_any(n > 2 ? vorrq_u8(low, high) : low), 1))
		return 0;
	return sh_neon_bits32(low, high);
}

#include "pair/scan_body.h"

static unsigned distance_neon(const uint64_t *a, const uint64_t *b, unsigned words)
{
	uint16x8_t sum = vdupq_n_u16(0);
	unsigned d = 0, i;

	for (i = 0; i + 2 <= words; i += 2)
		sum = vpadalq_u8(sum, apart_neon(vreinterpretq_u8_u64(vld1q_u64(a + i)),
					  vreinterpretq_u8_u64(vld1q_u64(b + i))));
	if (i < words)
		d = (unsigned)__builtin_popcountll(a[i] ^ b[i]);
	return d + vaddvq_u16(sum);
}

static const struct sh_kernel neon = { { "neon", SH_NEEDS_NOTHING }, scan_neon, NULL, NULL,
	sh_near_plain, distance_neon };

#endif

#ifdef HAVE_X86
static const struct sh_kernel avx512 = {
	{ "avx512", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT | SH_NEEDS_AVX512 |
			SH_NEEDS_AVX512_VL | SH_NEEDS_AVX512_VPOPCNTDQ },
	scan_avx512, scan_avx512short, shorten_avx512, sh_near_avx2, distance_popcnt
};
static const struct sh_kernel avx2 = { { "avx2", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT },
	scan_avx2, NULL, NULL, sh_near_avx2, distance_popcnt };
#endif
static const struct sh_kernel plain = { { "plain", SH_NEEDS_NOTHING }, scan_plain, NULL, NULL,
	sh_near_plain, distance_plain };

static const struct sh_variant *const rows[] = {
#ifdef HAVE_X86
	&avx512.variant,
	&avx2.variant,
#elif defined(__aarch64__)
	&neon.variant,
#endif
	&plain.variant,
};

const struct sh_kernel *sh_kernel_at(unsigned i)
{
	return (const struct sh_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}

const struct sh_kernel *sh_kernel_find(const char *name)
{
	const struct sh_kernel *kernel;

	for (unsigned i = 0; (kernel = sh_kernel_at(i)); i++)
		if (name == NULL || strcmp(name, kernel->variant.name) == 0)
			return kernel;
	return NULL;
}
