/* SPDX-License-Identifier: MIT */
/* Splits ASCII into words with AVX2 and with AVX-512. */
#include "text/ascii.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

/* ---- masks ----
 *
 * A block is 64 bytes of text. A mask has one bit for each byte of the block, the lowest bit for
 * the first byte. "The bytes that ..." means: their bits are 1. */

/* Bytes that are read for a block: two more show whether the last character is known. */
enum { SEEN = 66 };

struct masks {
	uint64_t word;      /* letters and digits */
	uint64_t backslash; /* 0 when run->escapes is false */
	uint64_t escapable; /* t n r \: with a backslash before it, the byte ends an escape */
	uint64_t other;     /* not ASCII */

	/* Known characters that are not ASCII: Han characters U+4E00..U+9FBF and, in some variants,
	 * kana: tokens by themselves; also punctuation that folds to separators. Only kana can
	 * compose with the next character: see step_back() in words.c. */
	uint64_t first; /* first bytes of known characters of two or three bytes */
	uint64_t three; /* first bytes of known characters of three bytes */
	uint64_t han;   /* first bytes of known characters that are tokens */
};

/* State between two blocks. */
struct state {
	uint64_t open, pending;  /* see struct sh_ascii_run; 0 or 1 */
	uint64_t after;          /* the bytes after a backslash that may begin an escape */
	uint64_t escaped;        /* the backslashes, and the bytes that end an escape */
	uint64_t escaped_before; /* the last byte of the previous block was in `escaped`; 0 or 1 */
	uint64_t word;           /* the bytes of words */
	uint64_t carried_tails;  /* the bytes of a known character begun in the previous block */
	uint64_t carried_ends;   /* the first byte behind a token begun in the previous block */
};

static inline struct state begin_run(const struct sh_ascii_run *run)
{
	return (struct state){ .open = run->open, .pending = run->pending };
}

/* Returns the bytes that are neither ASCII nor part of a known character.
 * Updates s->carried_tails. */
static inline uint64_t unknown_bytes(struct state *s, const struct masks *m)
{
	uint64_t known = m->first | m->first << 1 | m->three << 2 | s->carried_tails;

	s->carried_tails = m->first >> 63 | m->three >> 62;
	return m->other & ~known;
}

/* Returns the bytes to process: at most `left` bytes, up to the first unknown byte. */
static inline uint64_t valid_bytes(uint64_t unknown, size_t left)
{
	uint64_t valid = left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX;

	unknown &= valid;
	return unknown ? (unknown & -unknown) - 1 : valid;
}

/* Sets s->after. A backslash may begin an escape unless it ends one. In a sequence of backslashes,
 * every second backslash ends an escape. A subtraction finds these backslashes: its borrow runs
 * through a sequence (json_escape_scanner of simdjson). `codes`: the backslashes that begin an
 * escape, and the byte behind a sequence whose last backslash begins an escape. */
static inline void find_escapes(struct state *s, uint64_t backslash)
{
	const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
	uint64_t begins = backslash & ~s->pending;
	uint64_t codes = ((begins << 1 | odd) - begins) ^ odd;

	s->after = codes ^ (backslash | s->pending);
	s->pending = (codes & backslash) >> 63;
}

/* Computes s->word and the escapes of the valid bytes of a block. Returns the bytes whose
 * previous byte, perhaps of the previous block, is of a word. */
static inline uint64_t step(struct state *s, const struct masks *m, uint64_t valid)
{
	uint64_t follows;

	s->escaped_before = s->escaped >> 63;
	find_escapes(s, m->backslash & valid);
	s->escaped = (m->backslash & valid) | (s->after & m->escapable);
	s->word = m->word & valid & ~(s->after & m->escapable);
	follows = s->word << 1 | s->open;
	s->open = s->word >> 63;
	return follows;
}

/* Returns the bytes at which tokens start. `follows` is the result of step(). */
static inline uint64_t starts(
    const struct state *s, const struct masks *m, uint64_t valid, uint64_t follows)
{
	return (s->word & ~follows) | (m->han & valid);
}

/* Returns the first byte behind each token that ends in the block. Updates s->carried_ends. */
static inline uint64_t ends(
    struct state *s, const struct masks *m, uint64_t valid, uint64_t follows)
{
	uint64_t han = m->han & valid;
	uint64_t ends = (follows & ~s->word & valid) | han << 3 | s->carried_ends;

	s->carried_ends = han >> 61;
	return ends;
}

/* Ends the run after the first k < 64 bytes of the last block. */
static inline void end_run(
    struct sh_ascii_run *run, const struct state *s, uint64_t follows, size_t k)
{
	run->open = follows >> k & 1;
	run->pending = s->after >> k & 1;
	run->escaped = k ? s->escaped >> (k - 1) & 1 : s->escaped_before;
}

/* ---- loops ----
 *
 * The loops are inlined into the functions of each instruction set, and so are their arguments. */

#define INLINE static inline __attribute__((always_inline))

/* Classifies the 64 bytes at p, and writes the folded bytes to out. SEEN bytes can be read. chars:
 * writes '_' for each byte outside of words. Otherwise also finds known characters. */
typedef void block_fn(
    const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out, struct masks *m, bool chars);

/* Writes the index of each set bit, plus base. Returns the end of the indexes. */
typedef uint32_t *put_fn(uint32_t *to, uint64_t bits, uint32_t base);

/* Copies the bytes of a block whose bits in `keep` are 1. Returns the end of the copy. */
typedef uint8_t *pack_fn(uint8_t *to, const uint8_t *from, uint64_t keep);

/* Returns the `left` bytes at p where SEEN bytes can be read: bytes from run->lim on must not. */
INLINE const uint8_t *readable(const uint8_t *p, size_t left, uint8_t last[SEEN])
{
	if (left >= SEEN)
		return p;
	memset(last, 0, SEEN);
	memcpy(last, p, left);
	return last;
}

/* How far ahead of the text memory is fetched: the next text mostly follows. */
enum { FETCHED = 2048 };

/* Appends the folded bytes to run->text, and the ranges of the tokens. */
INLINE void split_words(struct sh_ascii_run *run, block_fn *block, put_fn *put)
{
	struct state s = begin_run(run);
	const uint8_t *p = run->p;
	uint32_t *start = run->start + run->n + run->open, *end = run->end + run->n;
	uint8_t last[SEEN];
	size_t used = run->used, k;

	for (;; p += 64, used += 64) {
		size_t left = (size_t)(run->lim - p);
		struct masks m;
		uint64_t valid, follows;

		_mm_prefetch((const char *)p + FETCHED, _MM_HINT_T0);
		block(readable(p, left, last), run, run->text + used, &m, false);
		valid = valid_bytes(unknown_bytes(&s, &m), left);
		follows = step(&s, &m, valid);
		start = put(start, starts(&s, &m, valid, follows), (uint32_t)used);
		end = put(end, ends(&s, &m, valid, follows), (uint32_t)used);
		if (valid != UINT64_MAX) {
			k = (size_t)__builtin_popcountll(valid);
			end_run(run, &s, follows, k);
			break;
		}
	}
	run->p = p + k;
	run->used = used + k;
	run->n = (size_t)(end - run->end);
}

/* Appends the folded bytes of words to run->text, with one '_' behind each word. */
INLINE void split_chars(struct sh_ascii_run *run, block_fn *block, pack_fn *pack)
{
	struct state s = begin_run(run);
	const uint8_t *p = run->p;
	uint8_t last[SEEN], folded[128] = { 0 }, *to = run->text + run->used;
	size_t k;

	for (;; p += 64) {
		size_t left = (size_t)(run->lim - p);
		struct masks m;
		uint64_t valid, follows;

		block(readable(p, left, last), run, folded, &m, true);
		valid = valid_bytes(m.other, left);
		follows = step(&s, &m, valid);
		to = pack(to, folded, (s.word | follows) & valid);
		if (valid != UINT64_MAX) {
			k = (size_t)__builtin_popcountll(valid);
			end_run(run, &s, follows, k);
			break;
		}
	}
	run->p = p + k;
	run->used = (size_t)(to - run->text);
}

/* ---- AVX2 ---------------------------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))

static AVX2 inline uint64_t bits_avx2(__m256i v)
{
	return (unsigned)_mm256_movemask_epi8(v);
}

static AVX2 inline void half_avx2(
    const uint8_t *p, __m256i fold, uint8_t *out, struct masks *m, unsigned i, bool chars)
{
	/* near[i]: the escapable byte whose low four bits are i. Without one: a byte whose low four
	 * bits are not i, so that no byte equals it. */
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

/* Looks up the low four bits of each byte in a table. */
static AVX2 inline __m256i by_low_avx2(__m128i table, __m256i v)
{
	return _mm256_shuffle_epi8(
	    _mm256_broadcastsi128_si256(table), _mm256_and_si256(v, _mm256_set1_epi8(15)));
}

static AVX2 inline __m256i by_high_avx2(__m128i table, __m256i v)
{
	return by_low_avx2(table, _mm256_srli_epi16(v, 4));
}

/* Finds the known characters of three bytes a, b, c that begin in the 32 bytes at p + i: Han
 * characters U+4E00..U+9FBF, and punctuation.
 *
 * Han: a is E4..E9, and b is one of the above[] + 1 bytes from lowest[] on, both by the low four
 * bits of a. Any c fits.
 *
 * Punctuation: one flag is set in first[a], low2[b], high2[b], low3[c] and high3[c]. first[] and
 * the low tables are by the low four bits of a byte, the high tables by the high four bits:
 *    1: E3 80 80..82, 88..8F  U+3000..3002 and U+3008..300F
 *    2: E3 80 90, 91          U+3010 and U+3011
 *    4: EF BC 81, 88, 89, 8C  fullwidth ! ( ) ,
 *    8: EF BC 9A, 9B, 9F      fullwidth : ; ?
 *   16: E2 80 93, 94, 98, 99, 9C, 9D  U+2013 2014 2018 2019 201C 201D */
static AVX2 inline void find_known_avx2(const uint8_t *p, struct masks *m, unsigned i)
{
	const __m128i lowest = _mm_setr_epi8(0, 0, 0, 0, (char)0xB8, (char)0x80, (char)0x80,
	    (char)0x80, (char)0x80, (char)0x80, 0, 0, 0, 0, 0, 0);
	const __m128i above = _mm_setr_epi8(0, 0, 0, 0, 7, 63, 63, 63, 63, 62, 0, 0, 0, 0, 0, 0);
	const __m128i first = _mm_setr_epi8(0, 0, 16, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12);
	const __m128i low2 = _mm_setr_epi8(19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0);
	const __m128i high2 = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 19, 0, 0, 12, 0, 0, 0, 0);
	const __m128i low3 = _mm_setr_epi8(3, 7, 1, 16, 16, 0, 0, 0, 21, 21, 9, 9, 21, 17, 1, 9);
	const __m128i high3 = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 5, 26, 0, 0, 0, 0, 0, 0);
	const __m256i tail = _mm256_set1_epi8((char)0xC0), none = _mm256_setzero_si256();
	__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
	__m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + i + 1));
	__m256i c = _mm256_loadu_si256((const __m256i *)(const void *)(p + i + 2));
	__m256i flags = by_low_avx2(first, a), x = _mm256_sub_epi8(b, by_low_avx2(lowest, a)),
		shape;
	uint64_t han, known;

	shape = _mm256_and_si256(a, _mm256_set1_epi8((char)0xF0));
	shape = _mm256_cmpeq_epi8(shape, _mm256_set1_epi8((char)0xE0));
	shape = _mm256_and_si256(shape, _mm256_cmpgt_epi8(tail, b));
	shape = _mm256_and_si256(shape, _mm256_cmpgt_epi8(tail, c));
	/* x <= above[]. When `a` begins no Han character, both tables have 0, and only b = 0 fits:
	 * no character has the `shape` of such bytes. */
	x = _mm256_cmpeq_epi8(x, _mm256_min_epu8(x, by_low_avx2(above, a)));
	flags =
	    _mm256_and_si256(flags, _mm256_and_si256(by_low_avx2(low2, b), by_high_avx2(high2, b)));
	flags =
	    _mm256_and_si256(flags, _mm256_and_si256(by_low_avx2(low3, c), by_high_avx2(high3, c)));
	han = bits_avx2(_mm256_and_si256(shape, x));
	known = han | bits_avx2(_mm256_andnot_si256(_mm256_cmpeq_epi8(flags, none), shape));
	m->han |= han << i;
	m->first |= known << i;
	m->three |= known << i;
}

static AVX2 inline void block_avx2(
    const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out, struct masks *m, bool chars)
{
	const __m256i fold = _mm256_set1_epi8(run->fold ? 32 : 0);

	*m = (struct masks){ 0 };
	half_avx2(p, fold, out, m, 0, chars);
	half_avx2(p, fold, out, m, 32, chars);
	if (!chars && m->other) {
		find_known_avx2(p, m, 0);
		find_known_avx2(p, m, 32);
	}
	if (!run->escapes)
		m->backslash = 0;
}

/* Writes eight indexes at a time, at most seven too many: a loop over single bits would be
 * mispredicted once a block. */
static AVX2 inline uint32_t *put_avx2(uint32_t *to, uint64_t bits, uint32_t base)
{
	unsigned n = (unsigned)__builtin_popcountll(bits), i, j;

	for (i = 0; i < n; i += 8)
		for (j = i; j < i + 8; j++) {
			to[j] = base + (uint32_t)_tzcnt_u64(bits);
			bits &= bits - 1;
		}
	return to + n;
}

/* Each sequence of kept bytes is one copy of 64 bytes; the next copy overwrites the surplus. */
static AVX2 inline uint8_t *pack_avx2(uint8_t *to, const uint8_t *from, uint64_t keep)
{
	while (keep) {
		unsigned at = (unsigned)_tzcnt_u64(keep), n = (unsigned)_tzcnt_u64(~(keep >> at));

		memcpy(to, from + at, 64);
		to += n;
		keep = at + n < 64 ? keep >> (at + n) << (at + n) : 0;
	}
	return to;
}

static AVX2 void words_avx2(struct sh_ascii_run *run)
{
	split_words(run, block_avx2, put_avx2);
}

static AVX2 void chars_avx2(struct sh_ascii_run *run)
{
	split_chars(run, block_avx2, pack_avx2);
}

static const struct sh_ascii_kernel avx2 = {
	{ "avx2", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT }, words_avx2, chars_avx2, false
};

/* ---- AVX-512 with byte permutations (Ice Lake, Zen 4) --------------------------------- */

#define AVX512                                                                                     \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,"         \
			      "popcnt")))

/* Tables give the flags of a byte by its low six bits. A character is known when all its bytes have
 * one common flag. Han characters have other tables. Flags of SEPARATORS_3:
 *     1: U+3000..3020 except U+3003..3007
 *     2: U+FF01..FF20, fullwidth ! " # $ % & ' ( ) * + , - . / : ; ? @
 *     4: U+2010..2027 except U+2017
 *    64: U+2500..25FF
 * Flags of KANA:
 *     8: U+3041..307F
 *    16: U+3080..3096 and U+30A1..30BF
 *    32: U+30C0..30FA and U+30FC
 * Flag of SEPARATORS_2: 128, see LATIN_1. */
enum { SEPARATORS_3 = 1 | 2 | 4 | 64, KANA = 8 | 16 | 32, SEPARATORS_2 = 128 };

static const uint8_t first_bytes[64] = {
	[0x02] = 128, [0x22] = 4 | 64, [0x23] = 1 | KANA, [0x2F] = 2
};

/* Separators of Latin-1, U+00A0..00BF: the second byte of such a character is its code point. Bit
 * i stands for the byte 80 + i: A0..A7, A9, AB, AC, AE, B0, B1, B6, B7, BB and BF. */
#define LATIN_1 UINT64_C(0x88C35AFF00000000)
#define SECOND(i)                                                                                  \
	(uint8_t)(((i) == 0) * (1 | 4) | ((i) == 1) * 8 | ((i) == 2) * 16 | ((i) == 3) * 32 |      \
		  ((i) >= 0x14 && (i) <= 0x17) * 64 | ((i) == 0x3C) * 2 |                          \
		  (LATIN_1 >> (i)&1) * 128)
#define THIRD(i)                                                                                   \
	(uint8_t)(((i) <= 2 || ((i) >= 8 && (i) <= 0x20)) * 1 |                                    \
		  (((i) >= 1 && (i) <= 0x0F) || (i) == 0x1A || (i) == 0x1B || (i) == 0x1F ||       \
		      (i) == 0x20) *                                                               \
		      2 |                                                                          \
		  ((i) >= 0x10 && (i) <= 0x27 && (i) != 0x17) * 4 | ((i) != 0) * 8 |               \
		  ((i) <= 0x16 || (i) >= 0x21) * 16 | ((i) <= 0x3A || (i) == 0x3C) * 32 | 64 |     \
		  128)
#define FOUR(F, i)    F(i), F((i) + 1), F((i) + 2), F((i) + 3)
#define SIXTEEN(F, i) FOUR(F, i), FOUR(F, (i) + 4), FOUR(F, (i) + 8), FOUR(F, (i) + 12)
#define ALL(F)        SIXTEEN(F, 0), SIXTEEN(F, 16), SIXTEEN(F, 32), SIXTEEN(F, 48)

static const uint8_t second_bytes[64] = { ALL(SECOND) };
static const uint8_t third_bytes[64] = { ALL(THIRD) };

/* By the low six bits of a first byte: the least second byte of a Han character, and the number of
 * its second bytes. */
static const uint8_t han_from[64] = { [0x24] = 0xB8, 0x80, 0x80, 0x80, 0x80, 0x80 };
static const uint8_t han_many[64] = { [0x24] = 8, 64, 64, 64, 64, 63 };

static AVX512 inline __m512i by_six_avx512(const uint8_t table[64], __m512i v)
{
	return _mm512_permutexvar_epi8(v, _mm512_loadu_si512(table));
}

static AVX512 inline void find_known_avx512(__m512i v, const uint8_t *p, struct masks *m)
{
	/* As signed numbers, the continuation bytes 80..BF are the bytes below C0. */
	const __m512i lead = _mm512_set1_epi8((char)0xC0);
	__m512i b = _mm512_loadu_si512(p + 1), c = _mm512_loadu_si512(p + 2), flags;
	__mmask64 two, three, han;

	two = _mm512_cmpge_epu8_mask(v, lead);
	two = _mm512_mask_cmplt_epi8_mask(two, b, lead);
	three = _mm512_mask_cmplt_epi8_mask(two, c, lead);
	flags = _mm512_ternarylogic_epi64(by_six_avx512(first_bytes, v),
	    by_six_avx512(second_bytes, b), by_six_avx512(third_bytes, c), 0x80);
	han = _mm512_mask_cmplt_epu8_mask(
	    three, _mm512_sub_epi8(b, by_six_avx512(han_from, v)), by_six_avx512(han_many, v));
	m->han = han | _mm512_mask_test_epi8_mask(three, flags, _mm512_set1_epi8(KANA));
	m->three =
	    m->han | _mm512_mask_test_epi8_mask(three, flags, _mm512_set1_epi8(SEPARATORS_3));
	m->first =
	    m->three | _mm512_mask_test_epi8_mask(two, flags, _mm512_set1_epi8((char)SEPARATORS_2));
}

/* Folds by one permutation of the table. */
static AVX512 inline void block_avx512(
    const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out, struct masks *m, bool chars)
{
	const __m512i near = _mm512_broadcast_i32x4(
	    _mm_setr_epi8(1, 0, 'r', 0, 't', 0, 0, 0, 0, 0, 0, 0, '\\', 0, 'n', 0));
	const __m512i lo = _mm512_loadu_si512(run->table);
	const __m512i hi = _mm512_loadu_si512(run->table + 64);
	__m512i v = _mm512_loadu_si512(p);
	__m512i low = _mm512_permutex2var_epi8(lo, v, hi);

	m->backslash = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\\'));
	m->word = _mm512_test_epi8_mask(low, low) & ~m->backslash;
	m->escapable = _mm512_cmpeq_epi8_mask(v, _mm512_shuffle_epi8(near, v));
	m->other = (uint64_t)_mm512_movepi8_mask(v);
	m->han = m->first = m->three = 0;
	if (chars) {
		low = _mm512_mask_mov_epi8(_mm512_set1_epi8('_'), m->word, low);
	} else if (m->other) {
		m->word &= ~m->other;
		low = _mm512_mask_mov_epi8(low, m->other, v);
		find_known_avx512(v, p, m);
	}
	if (!run->escapes)
		m->backslash = 0;
	_mm512_storeu_si512(out, low);
}

/* Uses the instruction that packs bytes. More than 16 words in 64 bytes are rare. */
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
	if (__builtin_expect(n > 16, 0)) {
		_mm512_storeu_si512(to + 16,
		    _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm256_extracti128_si256(at, 1))));
		/* 33 indexes are possible: a carried end, and 32 words of one byte. */
		to[32] = base + 63 - (unsigned)__builtin_clzll(bits);
	}
	return to + n;
}

static AVX512 inline uint8_t *pack_avx512(uint8_t *to, const uint8_t *from, uint64_t keep)
{
	_mm512_storeu_si512(to, _mm512_maskz_compress_epi8(keep, _mm512_loadu_si512(from)));
	return to + _mm_popcnt_u64(keep);
}

static AVX512 void words_avx512(struct sh_ascii_run *run)
{
	split_words(run, block_avx512, put_avx512);
}

static AVX512 void chars_avx512(struct sh_ascii_run *run)
{
	split_chars(run, block_avx512, pack_avx512);
}

static const struct sh_ascii_kernel avx512 = {
	{ "avx512", SH_NEEDS_AVX2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT | SH_NEEDS_AVX512 |
			SH_NEEDS_AVX512_VL | SH_NEEDS_AVX512_VBMI | SH_NEEDS_AVX512_VBMI2 },
	words_avx512, chars_avx512, true
};

static const struct sh_variant *const rows[] = { &avx512.variant, &avx2.variant };

const struct sh_ascii_kernel *sh_ascii_kernel_at(unsigned i)
{
	return (const struct sh_ascii_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}
#else
const struct sh_ascii_kernel *sh_ascii_kernel_at(unsigned i)
{
	(void)i;
	return NULL;
}
#endif
