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

static AVX512 void take_avx512(const char *base, const uint32_t *mark, size_t most,
    const struct sh_feature_run *run, struct sh_feature_lines *of, struct sh_feature_taken *t)
{
	const __m512i one = _mm512_set1_epi32(1), n = _mm512_set1_epi32((int)run->n);
	const __m512i count =
	    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m512i number = _mm512_add_epi32(count, _mm512_set1_epi32((int)t->lines));
	__m512i before = _mm512_set1_epi32((int)t->begin - 1);

	if (run->n > 16)
		return;
	for (mark += 3 * t->lines; t->lines + 16 <= most; mark += 48) {
		__m512i a = _mm512_loadu_si512(mark), b = _mm512_loadu_si512(mark + 16);
		__m512i c = _mm512_loadu_si512(mark + 32);
		__m512i end = third(a, b, c, 1), lf = third(a, b, c, 2);
		__m512i line = _mm512_add_epi32(_mm512_alignr_epi32(lf, before, 15), one);
		__m512i start = _mm512_add_epi32(line, n), weight;
		__mmask16 other;
		unsigned bad;

		bad = _mm512_cmpneq_epi32_mask(_mm512_add_epi32(third(a, b, c, 0), one), start) |
		      _mm512_cmpeq_epi32_mask(end, start);
		bad |= differ(base, line, run->a, run->keep_a);
		if (run->n > 8)
			bad |= differ(base + 8, line, run->b, run->keep_b);
		if (bad)
			break;
		weight = _mm512_and_si512(
		    _mm512_i32gather_epi32(end, base, 1), _mm512_set1_epi32(SH_WEIGHT_BYTES));
		other = _mm512_cmpneq_epi32_mask(weight, _mm512_set1_epi32(SH_WEIGHS_ONE));
		_mm512_storeu_si512(of->line + t->lines, line);
		_mm512_storeu_si512(of->start + t->lines, start);
		_mm512_storeu_si512(of->end + t->lines, end);
		_mm512_mask_compressstoreu_epi32(of->other + t->others, other, number);
		t->others += (unsigned)_mm_popcnt_u32(other);
		t->lines += 16;
		number = _mm512_add_epi32(number, _mm512_set1_epi32(16));
		before = lf;
		t->begin = mark[47] + 1;
	}
}

const struct sh_feature_take_kernel sh_feature_take_avx512 = {
	{ "avx512", SH_NEEDS_AVX512 | SH_NEEDS_POPCNT }, take_avx512
};

#endif
