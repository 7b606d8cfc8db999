/* ASCII to words with SSE2, which every x86-64 has, AVX2 and AVX-512. */
#include "text/ascii_mask.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* ---- SSE2 ---------------------------------------------------------------------------- */

static bool usable_sse2(void)
{
	return true;
}

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
#define POPCOUNT(x) __builtin_popcountll(x)
#include "text/ascii_body.h"

const struct sh_ascii_kernel sh_ascii_sse2 = { "sse2", usable_sse2, words_sse2, chars_sse2 };

/* ---- AVX2 ---------------------------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))

static bool usable_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

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

static AVX2 inline void block_avx2(const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out,
    struct sh_ascii_masks *m, bool chars)
{
	const __m256i fold = _mm256_set1_epi8(run->fold ? 32 : 0);

	*m = (struct sh_ascii_masks){ 0 };
	half_avx2(p, fold, out, m, 0, chars);
	half_avx2(p, fold, out, m, 32, chars);
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

const struct sh_ascii_kernel sh_ascii_avx2 = { "avx2", usable_avx2, words_avx2, chars_avx2 };

/* ---- AVX-512 with byte permutations (Ice Lake, Zen 4) --------------------------------- */

#define AVX512                                                                                     \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,"         \
			      "popcnt")))

static bool usable_avx512(void)
{
	return usable_avx2() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
}

/* Masks of 64 bytes, of which `left` may be read; their folded form, 0 for a separator,
 * out of the table: one permutation of its 128 bytes. */
static AVX512 inline __m512i block_avx512(
    const uint8_t *p, size_t left, const struct sh_ascii_run *run, struct sh_ascii_masks *m)
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

	for (;; p += 64, used += 64) {
		size_t left = (size_t)(run->lim - p);
		struct sh_ascii_masks m;
		uint64_t valid, follows;

		_mm512_storeu_si512(run->text + used, block_avx512(p, left, run, &m));
		valid = sh_ascii_valid(m.other, left);
		follows = sh_ascii_take(&s, &m, valid);
		start = put_avx512(start, s.word & ~follows, (uint32_t)used);
		end = put_avx512(end, follows & ~s.word & valid, (uint32_t)used);
		if (valid != UINT64_MAX) {
			k = (size_t)_mm_popcnt_u64(valid);
			sh_ascii_end(run, &s, follows, k);
			break;
		}
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
		__m512i low = block_avx512(p, left, run, &m);

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

const struct sh_ascii_kernel sh_ascii_avx512 = { "avx512", usable_avx512, words_avx512,
	chars_avx512 };

#endif
