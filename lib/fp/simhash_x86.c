/* The sums of a fingerprint with AVX2 and AVX-512.
 *
 * Counting: the bit slices of simhash_plain.c, with four or eight hashes side by side
 * in a register (Mula, Kurz, Lemire 2018). At the end of a call the lanes' counts, still
 * in slices, are added up: half the register to the other half, and again. */
#include "fp/simhash_slices.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* ---- AVX2 ---------------------------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2")))

struct pair4 {
	__m256i sum, carry;
};

static AVX2 inline struct pair4 add4(__m256i a, __m256i b, __m256i c)
{
	__m256i u = _mm256_xor_si256(a, b);

	return (struct pair4){ _mm256_xor_si256(u, c),
		_mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(u, c)) };
}

static AVX2 inline __m256i load4(const uint64_t *h)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)h);
}

/* 32 hashes: planes 0..2 take them in, a carry of weight eight ripples on. */
static AVX2 inline void take32(__m256i *p, unsigned used, const uint64_t *h)
{
	struct pair4 a = add4(p[0], load4(h), load4(h + 4)), b, c, d;
	__m256i carry, t;

	b = add4(a.sum, load4(h + 8), load4(h + 12));
	c = add4(p[1], a.carry, b.carry);
	a = add4(b.sum, load4(h + 16), load4(h + 20));
	b = add4(a.sum, load4(h + 24), load4(h + 28));
	p[0] = b.sum;
	d = add4(c.sum, a.carry, b.carry);
	p[1] = d.sum;
	a = add4(p[2], c.carry, d.carry);
	p[2] = a.sum;
	carry = a.carry;
	for (unsigned i = 3; i < used; i++) {
		t = _mm256_and_si256(p[i], carry);
		p[i] = _mm256_xor_si256(p[i], carry);
		carry = t;
	}
}

/* The four lanes' counts in one: n planes become n + 2. */
static AVX2 inline void fold4(const __m256i *p, unsigned n, uint64_t *slices)
{
	__m128i half[SH_LANE_PLANES + 2], carry = _mm_setzero_si128();
	uint64_t up = 0, x, y, u;
	unsigned i;

	for (i = 0; i < n; i++) {
		__m128i a = _mm256_castsi256_si128(p[i]), b = _mm256_extracti128_si256(p[i], 1);
		__m128i v = _mm_xor_si128(a, b);

		half[i] = _mm_xor_si128(v, carry);
		carry = _mm_or_si128(_mm_and_si128(a, b), _mm_and_si128(v, carry));
	}
	half[n] = carry;
	for (i = 0; i <= n; i++) {
		x = (uint64_t)_mm_cvtsi128_si64(half[i]);
		y = (uint64_t)_mm_extract_epi64(half[i], 1);
		u = x ^ y;
		slices[i] = u ^ up;
		up = (x & y) | (u & up);
	}
	slices[n + 1] = up;
}

static AVX2 void units_avx2(uint64_t planes[SH_PLANES], uint64_t total, const uint64_t *h, size_t n)
{
	bool fresh = total == n;

	while (n) {
		size_t piece = n < SH_PIECE ? n : SH_PIECE, i;
		unsigned used = sh_lane_planes((piece + 3) / 4, 3);
		__m256i p[SH_LANE_PLANES];
		uint64_t last[32] = { 0 }, slices[SH_LANE_PLANES + 2];

		for (i = 0; i < used; i++)
			p[i] = _mm256_setzero_si256();
		for (i = 0; i + 32 <= piece; i += 32)
			take32(p, used, h + i);
		if (i < piece) { /* zeros count nothing */
			memcpy(last, h + i, (piece - i) * sizeof *h);
			take32(p, used, last);
		}
		fold4(p, used, slices);
		sh_add_slices(planes, sh_planes_used(total), slices, used + 2, fresh);
		fresh = false;
		h += piece;
		n -= piece;
	}
}

/* Lanes are kept by bit number from the lowest, eight to a register; in the sums the
 * highest comes first. */
static AVX2 void weights_avx2(int32_t sum[64], const uint64_t *h, const int64_t *w, size_t n)
{
	const __m256i bit = _mm256_setr_epi32(128, 64, 32, 16, 8, 4, 2, 1);

	for (unsigned byte = 0; byte < 8; byte += 4) {
		__m256i s[4];
		unsigned i;
		size_t k;

		for (i = 0; i < 4; i++)
			s[i] = _mm256_loadu_si256((__m256i *)(void *)(sum + 8 * (byte + i)));
		for (k = 0; k < n; k++) {
			__m256i x = _mm256_set1_epi32((int)(h[k] >> (32 - 8 * byte)));
			__m256i weight = _mm256_set1_epi32((int)w[k]), set;

			for (i = 0; i < 4; i++) {
				/* byte i from the top of x, in each lane */
				set = _mm256_and_si256(_mm256_srli_epi32(x, 24 - 8 * (int)i), bit);
				set = _mm256_cmpeq_epi32(set, bit);
				s[i] = _mm256_add_epi32(s[i], _mm256_and_si256(set, weight));
			}
		}
		for (i = 0; i < 4; i++)
			_mm256_storeu_si256((__m256i *)(void *)(sum + 8 * (byte + i)), s[i]);
	}
}

const struct sh_simhash_kernel sh_simhash_avx2 = { { "avx2", SH_NEEDS_AVX2 }, units_avx2,
	weights_avx2 };

/* ---- AVX-512 -------------------------------------------------------------------------- */

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

/* Full adders of one instruction each: the truth tables of a ^ b ^ c and of the majority. */
static AVX512 inline __m512i sum8(__m512i a, __m512i b, __m512i c)
{
	return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

static AVX512 inline __m512i carry8(__m512i a, __m512i b, __m512i c)
{
	return _mm512_ternarylogic_epi64(a, b, c, 0xe8);
}

/* 64 hashes, of which the first n count. */
static AVX512 inline void take64(__m512i *p, unsigned used, const uint64_t *h, size_t n)
{
	__m512i v[8], s, t, c1, c2, c3, c4, d1, d2, carry;

	for (size_t i = 0; i < 8; i++) {
		size_t left = n > 8 * i ? n - 8 * i : 0;

		v[i] = _mm512_maskz_loadu_epi64(
		    (__mmask8)(left < 8 ? (1u << left) - 1 : 0xff), h + 8 * i);
	}
	s = sum8(p[0], v[0], v[1]);
	c1 = carry8(p[0], v[0], v[1]);
	t = sum8(s, v[2], v[3]);
	c2 = carry8(s, v[2], v[3]);
	s = sum8(t, v[4], v[5]);
	c3 = carry8(t, v[4], v[5]);
	p[0] = sum8(s, v[6], v[7]);
	c4 = carry8(s, v[6], v[7]);
	s = sum8(p[1], c1, c2);
	d1 = carry8(p[1], c1, c2);
	p[1] = sum8(s, c3, c4);
	d2 = carry8(s, c3, c4);
	carry = carry8(p[2], d1, d2);
	p[2] = sum8(p[2], d1, d2);
	for (unsigned i = 3; i < used; i++) {
		t = _mm512_and_si512(p[i], carry);
		p[i] = _mm512_xor_si512(p[i], carry);
		carry = t;
	}
}

/* The eight lanes' counts in one: n planes become n + 3. Each plane is added to itself
 * with the lanes exchanged, so that all lanes hold the sum in the end. */
static AVX512 inline void fold8(__m512i *p, unsigned n, uint64_t *slices)
{
	__m512i carry, other, sum;
	unsigned i;

	for (i = 0, carry = _mm512_setzero_si512(); i < n; i++) {
		other = _mm512_shuffle_i64x2(p[i], p[i], 0x4e);
		sum = sum8(p[i], other, carry);
		carry = carry8(p[i], other, carry);
		p[i] = sum;
	}
	p[n++] = carry;
	for (i = 0, carry = _mm512_setzero_si512(); i < n; i++) {
		other = _mm512_shuffle_i64x2(p[i], p[i], 0xb1);
		sum = sum8(p[i], other, carry);
		carry = carry8(p[i], other, carry);
		p[i] = sum;
	}
	p[n++] = carry;
	for (i = 0, carry = _mm512_setzero_si512(); i < n; i++) {
		other = _mm512_permutex_epi64(p[i], 0xb1);
		slices[i] =
		    (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(sum8(p[i], other, carry)));
		carry = carry8(p[i], other, carry);
	}
	slices[n] = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(carry));
}

static AVX512 void units_avx512(
    uint64_t planes[SH_PLANES], uint64_t total, const uint64_t *h, size_t n)
{
	bool fresh = total == n;

	while (n) {
		size_t piece = n < SH_PIECE ? n : SH_PIECE, i;
		unsigned used = sh_lane_planes((piece + 7) / 8, 3);
		__m512i p[SH_LANE_PLANES + 2];
		uint64_t slices[SH_LANE_PLANES + 3];

		for (i = 0; i < used; i++)
			p[i] = _mm512_setzero_si512();
		for (i = 0; i < piece; i += 64)
			take64(p, used, h + i, piece - i);
		fold8(p, used, slices);
		sh_add_slices(planes, sh_planes_used(total), slices, used + 3, fresh);
		fresh = false;
		h += piece;
		n -= piece;
	}
}

/* 16 lanes, each for the bit of `bits` that it holds. */
static AVX512 inline __m512i add16(__m512i s, __m512i hash, __m512i bits, __m512i weight)
{
	return _mm512_mask_add_epi32(s, _mm512_test_epi32_mask(hash, bits), s, weight);
}

/* The sums' order is from the highest bit down: the same turned round. */
static AVX512 void add_turned(int32_t *sum, __m512i s)
{
	const __m512i turn =
	    _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);

	_mm512_storeu_si512(
	    sum, _mm512_add_epi32(_mm512_loadu_si512(sum), _mm512_permutexvar_epi32(turn, s)));
}

/* Masks by a test: a shift and a move for each would wait for one another at one port. */
static AVX512 void weights_avx512(int32_t sum[64], const uint64_t *h, const int64_t *w, size_t n)
{
	const __m512i low = _mm512_setr_epi32(1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6,
	    1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15);
	const __m512i high = _mm512_slli_epi32(low, 16);
	__m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;

	for (size_t i = 0; i < n; i++) {
		const char *half = (const char *)(h + i); /* from memory to all lanes at once */
		__m512i weight = _mm512_broadcastd_epi32(_mm_loadu_si32(w + i));
		__m512i x = _mm512_broadcastd_epi32(_mm_loadu_si32(half));
		__m512i y = _mm512_broadcastd_epi32(_mm_loadu_si32(half + 4));

		a = add16(a, x, low, weight);
		b = add16(b, x, high, weight);
		c = add16(c, y, low, weight);
		d = add16(d, y, high, weight);
	}
	add_turned(sum, d);
	add_turned(sum + 16, c);
	add_turned(sum + 32, b);
	add_turned(sum + 48, a);
}

const struct sh_simhash_kernel sh_simhash_avx512 = {
	{ "avx512", SH_NEEDS_AVX512 | SH_NEEDS_AVX512_DQ | SH_NEEDS_AVX512_VL }, units_avx512,
	weights_avx512
};

#endif
