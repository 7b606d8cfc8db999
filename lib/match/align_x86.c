/* A column of the band, eight words at a time, with AVX-512. */
#include "match/align_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2")))

/* Eight words whose differences wait for the words below. */
struct waiting {
	__m512i zero, minus, no_plus;
};

/* Adds as one number of 512 bits. *carry: in and out, 0 or 1. A lane passes a carry on when it is
 * all ones: adding the carries to the mask of these lanes moves each carry to where it ends. */
static AVX512 inline __m512i add512(__m512i x, __m512i y, unsigned *carry)
{
	const __m512i ones = _mm512_set1_epi64(-1);
	__m512i sum = _mm512_add_epi64(x, y);
	unsigned into = (unsigned)_mm512_cmplt_epu64_mask(sum, x) << 1 | *carry;
	unsigned pass = _mm512_cmpeq_epi64_mask(sum, ones), moved = into + pass;

	*carry = moved >> 8;
	return _mm512_mask_sub_epi64(sum, (__mmask8)(moved ^ pass), sum, ones);
}

static AVX512 inline void shift_words(
    const struct sh_align_column *c, size_t w, struct waiting v, __m512i next)
{
	__m512i below = _mm512_or_si512(_mm512_srli_epi64(v.zero, 1),
	    _mm512_slli_epi64(_mm512_alignr_epi64(next, v.zero, 1), 63));

	_mm512_storeu_si512(
	    c->up + w, _mm512_or_si512(v.minus, _mm512_andnot_si512(below, v.no_plus)));
	_mm512_storeu_si512(c->rise + w,
	    _mm512_ternarylogic_epi64(v.no_plus, below, below, 0xf3)); /* no_plus | ~below */
}

/* Returns word i, below 8. */
static AVX512 inline uint64_t word_at(__m512i v, size_t i)
{
	v = _mm512_permutexvar_epi64(_mm512_set1_epi64((long long)i), v);
	return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(v));
}

static AVX512 struct sh_align_equal column_avx512(
    const struct sh_align_column *c, const uint64_t *mask, unsigned shift, size_t end)
{
	const __m128i right = _mm_cvtsi32_si128((int)shift),
		      left = _mm_cvtsi32_si128((int)(64 - shift));
	const __m512i none = _mm512_setzero_si512();
	struct waiting v = { none, none, none };
	struct sh_align_equal e = { 0, 0, 0 };
	unsigned carry = 0;
	__mmask8 lanes = 0xff;
	size_t w;

	for (w = 0; w < c->words; w += 8) {
		__m512i up, rise, match, zero;

		if (c->words - w < 8)
			lanes = (__mmask8)((1u << (c->words - w)) - 1);
		up = _mm512_loadu_si512(c->up + w);
		rise = _mm512_loadu_si512(c->rise + w);
		match = _mm512_or_si512(_mm512_srl_epi64(_mm512_loadu_si512(mask + w), right),
		    _mm512_sll_epi64(_mm512_loadu_si512(mask + w + 1), left));
		zero = add512(_mm512_and_si512(match, up), up, &carry);
		zero = _mm512_maskz_mov_epi64(
		    lanes, _mm512_ternarylogic_epi64(_mm512_xor_si512(zero, up), match, rise,
			       0xfd)); /* (zero ^ up) | match | ~rise */
		if (w)
			shift_words(c, w - 8, v, zero);
		else
			e.first = word_at(zero, 0);
		if (end - w < 8)
			e.end = word_at(zero, end - w);
		v.zero = zero;
		v.minus = _mm512_and_si512(zero, up);
		v.no_plus = _mm512_and_si512(_mm512_or_si512(zero, up), rise);
	}
	shift_words(c, w - 8, v, none);
	e.last = word_at(v.zero, (c->words - 1) % 8);
	return e;
}

const struct sh_align_kernel sh_align_avx512 = {
	{ "avx512", SH_NEEDS_AVX512 | SH_NEEDS_AVX512_DQ | SH_NEEDS_AVX512_VL | SH_NEEDS_BMI },
	column_avx512
};

#endif
