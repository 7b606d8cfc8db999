/* ASCII to words with SSE2, which every x86-64 has, AVX2 and AVX-512. */
#include "text/ascii_mask.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* ---- SSE2 ---------------------------------------------------------------------------- */

/* Signed compares: what is to be found is moved to the top of the signed range. */
static inline __m128i letters_sse2(__m128i v)
{
	__m128i low = _mm_or_si128(v, _mm_set1_epi8(32));

	return _mm_cmpgt_epi8(_mm_add_epi8(low, _mm_set1_epi8(127 - 'z')), _mm_set1_epi8(127 - 26));
}

static inline __m128i digits_sse2(__m128i v)
{
	return _mm_cmpgt_epi8(_mm_add_epi8(v, _mm_set1_epi8(127 - '9')), _mm_set1_epi8(127 - 10));
}

static inline uint64_t bits_sse2(__m128i v)
{
	return (unsigned)_mm_movemask_epi8(v);
}

static inline void block_sse2(const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out,
    struct sh_ascii_masks *m, bool chars)
{
	const __m128i fold = _mm_set1_epi8(run->fold ? 32 : 0);

	*m = (struct sh_ascii_masks){ 0 };
	for (unsigned i = 0; i < 64; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
		__m128i letter = letters_sse2(v), word = _mm_or_si128(letter, digits_sse2(v));
		__m128i low = _mm_or_si128(v, _mm_and_si128(letter, fold));
		__m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
		__m128i more = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('t')),
						_mm_cmpeq_epi8(v, _mm_set1_epi8('n'))),
		    _mm_or_si128(slash, _mm_cmpeq_epi8(v, _mm_set1_epi8('r'))));

		if (chars)
			low = _mm_or_si128(
			    _mm_and_si128(word, low), _mm_andnot_si128(word, _mm_set1_epi8('_')));
		_mm_storeu_si128((__m128i *)(void *)(out + i), low);
		m->word |= bits_sse2(word) << i;
		m->other |= bits_sse2(v) << i;
		m->backslash |= bits_sse2(slash) << i;
		m->escapable |= bits_sse2(more) << i;
	}
	if (!run->escapes)
		m->backslash = 0;
}

static inline void words_block_sse2(
    const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out, struct sh_ascii_masks *m)
{
	block_sse2(p, run, out, m, false);
}

static inline void chars_block_sse2(
    const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out, struct sh_ascii_masks *m)
{
	block_sse2(p, run, out, m, true);
}

#define NAME(f) f##_sse2
#define TARGET
#define CTZ(x)      __builtin_ctzll((x) | UINT64_C(1) << 63)
#define POPCOUNT(x) sh_ascii_popcount(x)
#include "text/ascii_body.h"

const struct sh_ascii_kernel sh_ascii_sse2 = { { "sse2", SH_NEEDS_NOTHING }, words_sse2, chars_sse2,
	false };

/* ---- AVX2 ---------------------------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))

static AVX2 inline uint64_t bits_avx2(__m256i v)
{
	return (unsigned)_mm256_movemask_epi8(v);
}

static AVX2 inline void half_avx2(
    const uint8_t *p, __m256i fold, uint8_t *out, struct sh_ascii_masks *m, unsigned i, bool chars)
{
	/* By its low half the byte to compare with: 0x70 is only met by p, x02 is r... */
	const __m256i near = _mm256_broadcastsi128_si256(
	    _mm_setr_epi8(1, 0, 'r', 0, 't', 0, 0, 0, 0, 0, 0, 0, '\\', 0, 'n', 0));
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
	__m256i letter = _mm256_or_si256(v, _mm256_set1_epi8(32));
	__m256i digit = _mm256_add_epi8(v, _mm256_set1_epi8(127 - '9')), word, low;

	letter = _mm256_add_epi8(letter, _mm256_set1_epi8(127 - 'z'));
	letter = _mm256_cmpgt_epi8(letter, _mm256_set1_epi8(127 - 26));
	word = _mm256_or_si256(letter, _mm256_cmpgt_epi8(digit, _mm256_set1_epi8(127 - 10)));
	low = _mm256_or_si256(v, _mm256_and_si256(letter, fold));
	if (chars)
		low = _mm256_blendv_epi8(_mm256_set1_epi8('_'), low, word);
	_mm256_storeu_si256((__m256i *)(void *)(out + i), low);
	m->word |= bits_avx2(word) << i;
	m->other |= bits_avx2(v) << i;
	m->backslash |= bits_avx2(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'))) << i;
	m->escapable |= bits_avx2(_mm256_cmpeq_epi8(v, _mm256_shuffle_epi8(near, v))) << i;
}

static AVX2 inline uint64_t both_avx2(__m256i low, __m256i high)
{
	return bits_avx2(low) | bits_avx2(high) << 32;
}

static AVX2 inline uint64_t eq_avx2(__m256i low, __m256i high, int c)
{
	__m256i all = _mm256_set1_epi8((char)c);

	return both_avx2(_mm256_cmpeq_epi8(low, all), _mm256_cmpeq_epi8(high, all));
}

/* Bytes above `from` and below `to`, both taken as signed. */
static AVX2 inline uint64_t between_avx2(__m256i low, __m256i high, int from, int to)
{
	__m256i a = _mm256_set1_epi8((char)from), b = _mm256_set1_epi8((char)to);

	return both_avx2(_mm256_cmpgt_epi8(low, a), _mm256_cmpgt_epi8(high, a)) &
	       both_avx2(_mm256_cmpgt_epi8(b, low), _mm256_cmpgt_epi8(b, high));
}

/* Third bytes by their halves: 1 and 2 after E3 80, 4 and 8 after EF BC, 16 after E2 80. */
static AVX2 inline __m256i third_avx2(__m256i v)
{
	const __m256i by_low = _mm256_broadcastsi128_si256(
	    _mm_setr_epi8(3, 7, 1, 16, 16, 0, 0, 0, 21, 21, 9, 9, 21, 17, 1, 9));
	const __m256i by_high = _mm256_broadcastsi128_si256(
	    _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 5, 26, 0, 0, 0, 0, 0, 0));
	const __m256i half = _mm256_set1_epi8(15);

	return _mm256_and_si256(_mm256_shuffle_epi8(by_low, _mm256_and_si256(v, half)),
	    _mm256_shuffle_epi8(by_high, _mm256_and_si256(_mm256_srli_epi16(v, 4), half)));
}

static AVX2 inline uint64_t any_avx2(__m256i low, __m256i high, int flags)
{
	__m256i all = _mm256_set1_epi8((char)flags), none = _mm256_setzero_si256();

	return ~both_avx2(_mm256_cmpeq_epi8(_mm256_and_si256(low, all), none),
	    _mm256_cmpeq_epi8(_mm256_and_si256(high, all), none));
}

static AVX2 void know_avx2(const uint8_t *p, struct sh_ascii_masks *m)
{
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
	__m256i third_low = third_avx2(low), third_high = third_avx2(high);
	__m256i c0 = _mm256_set1_epi8((char)0xC0);
	uint64_t tail = both_avx2(_mm256_cmpgt_epi8(c0, low), _mm256_cmpgt_epi8(c0, high));
	struct sh_ascii_bytes b = {
		.e2 = eq_avx2(low, high, 0xE2),
		.e3 = eq_avx2(low, high, 0xE3),
		.e4 = eq_avx2(low, high, 0xE4),
		.e5_e8 = between_avx2(low, high, 0xE4, 0xE9),
		.e9 = eq_avx2(low, high, 0xE9),
		.ef = eq_avx2(low, high, 0xEF),
		.tail = tail,
		.b8_bf = between_avx2(low, high, 0xB7, 0xC0),
		.x80 = eq_avx2(low, high, 0x80),
		.bc = eq_avx2(low, high, 0xBC),
		.bf = eq_avx2(low, high, 0xBF),
		.after_e3_80 = tail & any_avx2(third_low, third_high, 3),
		.after_ef_bc = tail & any_avx2(third_low, third_high, 12),
		.after_e2_80 = tail & any_avx2(third_low, third_high, 16),
	};

	sh_ascii_known(m, &b, m->other);
}

static AVX2 inline void block_avx2(const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out,
    struct sh_ascii_masks *m, bool chars)
{
	const __m256i fold = _mm256_set1_epi8(run->fold ? 32 : 0);

	*m = (struct sh_ascii_masks){ 0 };
	half_avx2(p, fold, out, m, 0, chars);
	half_avx2(p, fold, out, m, 32, chars);
	if (!chars && m->other)
		know_avx2(p, m);
	if (!run->escapes)
		m->backslash = 0;
}

static AVX2 inline void words_block_avx2(
    const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out, struct sh_ascii_masks *m)
{
	block_avx2(p, run, out, m, false);
}

static AVX2 inline void chars_block_avx2(
    const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out, struct sh_ascii_masks *m)
{
	block_avx2(p, run, out, m, true);
}

#define NAME(f)     f##_avx2
#define TARGET      AVX2
#define CTZ(x)      _tzcnt_u64(x)
#define POPCOUNT(x) __builtin_popcountll(x)
#include "text/ascii_body.h"

const struct sh_ascii_kernel sh_ascii_avx2 = {
	{ "avx2", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT }, words_avx2, chars_avx2, true
};

/* ---- AVX-512 with byte permutations (Ice Lake, Zen 4) --------------------------------- */

#define AVX512                                                                                     \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,"         \
			      "popcnt")))

static AVX512 inline uint64_t eq_avx512(__m512i v, int c)
{
	return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8((char)c));
}

static AVX512 inline uint64_t below_avx512(__m512i v, int from, int n)
{
	v = _mm512_sub_epi8(v, _mm512_set1_epi8((char)from));
	return _mm512_cmplt_epu8_mask(v, _mm512_set1_epi8((char)n));
}

/* By the low six bits of a third byte: 1 after E3 80, 2 after EF BC, 4 after E2 80. */
static const uint8_t third_bytes[64] = { 1, 3, 1, 0, 0, 0, 0, 0, 3, 3, 1, 1, 3, 1, 1, 1, 1, 1, 0, 4,
	4, 0, 0, 0, 4, 4, 2, 2, 4, 4, 0, 2 };

static AVX512 inline void know_avx512(__m512i v, struct sh_ascii_masks *m)
{
	__m512i third = _mm512_permutexvar_epi8(v, _mm512_loadu_si512(third_bytes));
	uint64_t tail = below_avx512(v, 0x80, 0x40);
	struct sh_ascii_bytes b = {
		.e2 = eq_avx512(v, 0xE2),
		.e3 = eq_avx512(v, 0xE3),
		.e4 = eq_avx512(v, 0xE4),
		.e5_e8 = below_avx512(v, 0xE5, 4),
		.e9 = eq_avx512(v, 0xE9),
		.ef = eq_avx512(v, 0xEF),
		.tail = tail,
		.b8_bf = below_avx512(v, 0xB8, 8),
		.x80 = eq_avx512(v, 0x80),
		.bc = eq_avx512(v, 0xBC),
		.bf = eq_avx512(v, 0xBF),
		.after_e3_80 = tail & _mm512_test_epi8_mask(third, _mm512_set1_epi8(1)),
		.after_ef_bc = tail & _mm512_test_epi8_mask(third, _mm512_set1_epi8(2)),
		.after_e2_80 = tail & _mm512_test_epi8_mask(third, _mm512_set1_epi8(4)),
	};

	sh_ascii_known(m, &b, m->other);
}

/* Masks of 64 bytes, of which `left` may be read; their folded form, 0 for a separator,
 * out of the table: one permutation of its 128 bytes. */
static AVX512 inline __m512i block_avx512(const uint8_t *p, size_t left,
    const struct sh_ascii_run *run, struct sh_ascii_masks *m, bool han)
{
	const __m512i near = _mm512_broadcast_i32x4(
	    _mm_setr_epi8(1, 0, 'r', 0, 't', 0, 0, 0, 0, 0, 0, 0, '\\', 0, 'n', 0));
	const __m512i lo = _mm512_loadu_si512(run->table);
	const __m512i hi = _mm512_loadu_si512(run->table + 64);
	__m512i v = _mm512_maskz_loadu_epi8(
	    left < 64 ? _bzhi_u64(~UINT64_C(0), (unsigned)left) : UINT64_MAX, p);
	__m512i low = _mm512_permutex2var_epi8(lo, v, hi);

	m->backslash = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\\'));
	m->word = _mm512_test_epi8_mask(low, low) & ~m->backslash;
	m->escapable = _mm512_cmpeq_epi8_mask(v, _mm512_shuffle_epi8(near, v));
	m->other = (uint64_t)_mm512_movepi8_mask(v);
	m->han = 0;
	if (han && m->other) {
		m->word &= ~m->other;
		low = _mm512_mask_mov_epi8(low, m->other, v);
		know_avx512(v, m);
	}
	if (!run->escapes)
		m->backslash = 0;
	return low;
}

/* The set bits' indexes, with the instruction that packs bytes; more than 16 words in 64
 * bytes are rare. */
static AVX512 inline uint32_t *put_avx512(uint32_t *to, uint64_t bits, uint32_t base)
{
	const __m512i index = _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51,
	    50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29,
	    28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6,
	    5, 4, 3, 2, 1, 0);
	__m256i at = _mm512_castsi512_si256(_mm512_maskz_compress_epi8(bits, index));
	__m512i from = _mm512_set1_epi32((int)base);
	unsigned n = (unsigned)_mm_popcnt_u64(bits);

	_mm512_storeu_si512(
	    to, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm256_castsi256_si128(at))));
	if (__builtin_expect(n > 16, 0))
		_mm512_storeu_si512(to + 16,
		    _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm256_extracti128_si256(at, 1))));
	return to + n;
}

static AVX512 void words_avx512(struct sh_ascii_run *run)
{
	struct sh_ascii_state s = sh_ascii_begin(run);
	const uint8_t *p = run->p;
	uint32_t *start = run->start + run->n + run->open, *end = run->end + run->n;
	size_t used = run->used, k;

	for (k = 0;; p += k, used += k) {
		size_t left = (size_t)(run->lim - p);
		struct sh_ascii_masks m;
		uint64_t valid, follows;

		_mm512_storeu_si512(run->text + used, block_avx512(p, left, run, &m, true));
		valid = sh_ascii_valid(m.other, left);
		follows = sh_ascii_take(&s, &m, valid);
		start = put_avx512(start, sh_ascii_starts(&s, &m, valid, follows), (uint32_t)used);
		*end = (uint32_t)used; /* a Han character's, at the end of the block before */
		end += s.cut;
		end = put_avx512(end, sh_ascii_ends(&s, &m, valid, follows), (uint32_t)used);
		k = 64;
		if (valid == UINT64_MAX)
			continue;
		k = (size_t)_mm_popcnt_u64(valid);
		if (!sh_ascii_goes_on(p, k, left)) {
			sh_ascii_end(run, &s, follows, k);
			break;
		}
		sh_ascii_shorten(&s, follows, k);
	}
	run->p = p + k;
	run->used = used + k;
	run->n = (size_t)(end - run->end);
}

static AVX512 void chars_avx512(struct sh_ascii_run *run)
{
	struct sh_ascii_state s = sh_ascii_begin(run);
	const uint8_t *p = run->p;
	uint8_t *to = run->text + run->used;
	size_t k;

	for (;; p += 64) {
		size_t left = (size_t)(run->lim - p);
		struct sh_ascii_masks m;
		uint64_t valid, follows, keep;
		__m512i low = block_avx512(p, left, run, &m, false);

		valid = sh_ascii_valid(m.other, left);
		follows = sh_ascii_take(&s, &m, valid);
		keep = (s.word | follows) & valid;
		low = _mm512_mask_mov_epi8(_mm512_set1_epi8('_'), s.word, low);
		_mm512_storeu_si512(to, _mm512_maskz_compress_epi8(keep, low));
		to += _mm_popcnt_u64(keep);
		if (valid != UINT64_MAX) {
			k = (size_t)_mm_popcnt_u64(valid);
			sh_ascii_end(run, &s, follows, k);
			break;
		}
	}
	run->p = p + k;
	run->used = (size_t)(to - run->text);
}

const struct sh_ascii_kernel sh_ascii_avx512 = {
	{ "avx512", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT | SH_NEEDS_AVX512 |
			SH_NEEDS_AVX512_VL | SH_NEEDS_AVX512_VBMI | SH_NEEDS_AVX512_VBMI2 },
	words_avx512, chars_avx512, true
};

#endif
