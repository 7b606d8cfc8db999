/* Sixteen lines at a time with AVX-512. */
#include "record/feature_take.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,popcnt")))

/* Every third of 48 marks, from the one that `which` tells on. */
static AVX512 inline __m512i third(__m512i a, __m512i b, __m512i c, int which)
{
	const __m512i places =
	    _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45);
	__m512i at = _mm512_add_epi32(places, _mm512_set1_epi32(which));
	__m512i low = _mm512_permutex2var_epi32(a, at, b);

	/* Of the third vector, the places count from there. */
	return _mm512_mask_permutexvar_epi32(
	    low, _mm512_cmpgt_epi32_mask(at, _mm512_set1_epi32(31)), at, c);
}

/* Which of sixteen lines do not have the eight bytes at p[begin] that they should. */
static AVX512 inline __mmask16 differ(const char *p, __m512i begin, uint64_t want, uint64_t keep)
{
	const __m512i wanted = _mm512_set1_epi64((long long)want);
	const __m512i kept = _mm512_set1_epi64((long long)keep);
	__m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256(begin), p, 1);
	__m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(begin, 1), p, 1);
	unsigned below = _mm512_test_epi64_mask(_mm512_xor_si512(low, wanted), kept);
	unsigned above = _mm512_test_epi64_mask(_mm512_xor_si512(high, wanted), kept);

	return (__mmask16)(below | above << 8);
}

/* Of sixteen lines: where the TAB behind the id stands, what ends the first token, the TAB behind the
 * feature, and the LF. */
struct sixteen {
	__m512i id, token, feature, lf;
};

static AVX512 inline __m512i begins(const struct sixteen *s, uint32_t begin)
{
	__m512i before = _mm512_alignr_epi32(s->lf, _mm512_set1_epi32((int)begin - 1), 15);

	return _mm512_add_epi32(before, _mm512_set1_epi32(1));
}

/* Which of them do not begin as the run's lines, or have nothing up to the first token's end. */
static AVX512 inline unsigned unlike(const char *base, const struct sh_feature_run *run,
    const struct sixteen *s, __m512i line, __m512i start)
{
	unsigned bad =
	    _mm512_cmpneq_epi32_mask(_mm512_add_epi32(s->id, _mm512_set1_epi32(1)), start) |
	    _mm512_cmpeq_epi32_mask(s->token, start);

	bad |= differ(base, line, run->a, run->keep_a);
	if (run->n > 8)
		bad |= differ(base + 8, line, run->b, run->keep_b);
	return bad;
}

/* Take the lines before the first bad one, for a document's last ones stand before another's first: how
 * many. weight: the bytes from the TAB before it on. Each has so many marks, from `mark` on. */
static AVX512 inline unsigned take_good(__m512i line, __m512i weight, unsigned bad,
    const uint32_t *mark, unsigned each, struct sh_feature_lines *of, struct sh_feature_taken *t)
{
	const __m512i count =
	    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m512i number = _mm512_add_epi32(count, _mm512_set1_epi32((int)t->lines));
	unsigned good = bad ? (unsigned)__builtin_ctz(bad) : 16, other;

	weight = _mm512_and_si512(weight, _mm512_set1_epi32(SH_WEIGHT_BYTES));
	other = _mm512_cmpneq_epi32_mask(weight, _mm512_set1_epi32(SH_WEIGHS_ONE));
	other &= (1U << good) - 1;
	_mm512_storeu_si512(of->line + t->lines, line);
	_mm512_mask_compressstoreu_epi32(of->other + t->others, (__mmask16)other, number);
	t->others += (unsigned)_mm_popcnt_u32(other);
	t->lines += good;
	if (good)
		t->begin = mark[each * good - 1] + 1;
	return good;
}

static AVX512 void take_avx512(const char *base, const uint32_t *mark, size_t most,
    const struct sh_feature_run *run, struct sh_feature_lines *of, struct sh_feature_taken *t)
{
	const __m512i n = _mm512_set1_epi32((int)run->n);
	unsigned good = 16;

	if (run->n > 16)
		return;
	for (mark += 3 * t->lines; good == 16 && t->lines + 16 <= most; mark += 48) {
		__m512i a = _mm512_loadu_si512(mark), b = _mm512_loadu_si512(mark + 16);
		__m512i c = _mm512_loadu_si512(mark + 32);
		__m512i end = third(a, b, c, 1);
		struct sixteen s = { third(a, b, c, 0), end, end, third(a, b, c, 2) };
		__m512i line = begins(&s, t->begin), start = _mm512_add_epi32(line, n);
		unsigned bad = unlike(base, run, &s, line, start);

		_mm512_storeu_si512(of->start + t->lines, start);
		_mm512_storeu_si512(of->end + t->lines, end);
		good = take_good(line, _mm512_i32gather_epi32(end, base, 1), bad, mark, 3, of, t);
	}
}

/* Every fifth of 80 marks, from the one that `which` tells on. */
static AVX512 inline __m512i fifth(const __m512i *v, int which)
{
	const __m512i places =
	    _mm512_setr_epi32(0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75);
	__m512i at = _mm512_add_epi32(places, _mm512_set1_epi32(which));
	__mmask16 behind = _mm512_cmpgt_epi32_mask(at, _mm512_set1_epi32(31));
	__mmask16 last = _mm512_cmpgt_epi32_mask(at, _mm512_set1_epi32(63));
	__m512i low = _mm512_permutex2var_epi32(v[0], at, v[1]);
	__m512i high = _mm512_permutex2var_epi32(v[2], at, v[3]);

	/* Places count from each pair of vectors. */
	return _mm512_mask_permutexvar_epi32(
	    _mm512_mask_mov_epi32(low, behind, high), last, at, v[4]);
}

/* Which of sixteen characters are not the one. */
static AVX512 inline unsigned other_than(char c, __m512i four)
{
	const __m512i low = _mm512_set1_epi32(0xff);

	return _mm512_cmpneq_epi32_mask(_mm512_and_si512(four, low), _mm512_set1_epi32(c));
}

/* Every third number from this one on: the first tokens of sixteen lines. */
static AVX512 inline void put_numbers(uint32_t *token, int from)
{
	const __m512i threes =
	    _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45);

	_mm512_storeu_si512(token, _mm512_add_epi32(threes, _mm512_set1_epi32(from)));
}

/* Of 80 marks, where tokens begin and end: at the first three of each five, and one mark on. What is
 * written behind them is overwritten by the next. */
static AVX512 inline void put_tokens(const __m512i *v, uint32_t *start, uint32_t *end)
{
	const unsigned threes = 0x739ce7; /* from the lowest bit on 11100 11100 ... */

	for (unsigned i = 0; i < 5; i++) {
		unsigned first = threes >> i & 0xffff, second = threes << 1 >> i & 0xffff;
		__m512i behind = _mm512_add_epi32(v[i], _mm512_set1_epi32(1));

		_mm512_storeu_si512(start, _mm512_maskz_compress_epi32((__mmask16)first, behind));
		_mm512_storeu_si512(end, _mm512_maskz_compress_epi32((__mmask16)second, v[i]));
		start += _mm_popcnt_u32(first);
		end += _mm_popcnt_u32(second);
	}
}

static AVX512 void threes_avx512(const char *base, const uint32_t *mark, size_t most,
    const struct sh_feature_run *run, struct sh_feature_lines *of, struct sh_feature_taken *t)
{
	const __m512i n = _mm512_set1_epi32((int)run->n);
	unsigned good = 16;

	if (run->n > 16)
		return;
	if (most > SH_FEATURE_BLOCK_MAX / 3 - 16)
		most = SH_FEATURE_BLOCK_MAX / 3 - 16;
	for (mark += 5 * t->lines; good == 16 && t->lines + 16 <= most; mark += 80) {
		__m512i v[5], line, weight;
		struct sixteen s;
		unsigned bad;

		for (unsigned i = 0; i < 5; i++)
			v[i] = _mm512_loadu_si512(mark + 16 * i);
		s = (struct sixteen){ fifth(v, 0), fifth(v, 1), fifth(v, 3), fifth(v, 4) };
		line = begins(&s, t->begin);
		weight = _mm512_i32gather_epi32(s.feature, base, 1);
		bad = unlike(base, run, &s, line, _mm512_add_epi32(line, n)) |
		      other_than(' ', _mm512_i32gather_epi32(s.token, base, 1)) |
		      other_than(' ', _mm512_i32gather_epi32(fifth(v, 2), base, 1)) |
		      other_than('\t', weight);
		put_tokens(v, of->start + 3 * t->lines, of->end + 3 * t->lines);
		put_numbers(of->token + t->lines, 3 * (int)t->lines);
		good = take_good(line, weight, bad, mark, 5, of, t);
	}
}

const struct sh_feature_take_kernel sh_feature_take_avx512 = {
	{ "avx512", SH_NEEDS_AVX512 | SH_NEEDS_POPCNT }, take_avx512, threes_avx512
};

#endif
