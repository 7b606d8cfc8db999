/* Repeated hashes with AVX2 and AVX-512. */
#include "fp/repeats_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

/* ---- AVX2: but for the slots as plain C, which there are no instructions to pack indexes for ---- */

#define AVX2 __attribute__((target("avx2")))

static AVX2 inline __m256i load4(const uint64_t *h)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)h);
}

/* In the upper half of each: the two halves by a factor each, added. One product of 32 bits does
 * where one of 64 would take three. */
static AVX2 inline __m256i halves4(const uint64_t *hash, __m256i key)
{
	__m256i x = _mm256_mullo_epi32(load4(hash), key);

	return _mm256_add_epi32(x, _mm256_slli_epi64(x, 32));
}

static AVX2 void slots_avx2(
    const uint64_t *hash, size_t n, unsigned bits, uint64_t key, uint16_t *slot)
{
	const __m256i factors = _mm256_set1_epi64x((long long)(key | UINT64_C(1) << 32 | 1));
	const __m128i shift = _mm_cvtsi32_si128((int)(32 - bits));
	uint64_t last[8] = { 0 };

	for (size_t i = 0; i < n; i += 8) {
		const uint64_t *h = hash + i;
		__m256 low, high;
		__m256i all;

		if (n - i < 8) {
			memcpy(last, h, (n - i) * sizeof *h);
			h = last;
		}
		low = _mm256_castsi256_ps(halves4(h, factors));
		high = _mm256_castsi256_ps(halves4(h + 4, factors));
		all = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd));
		all = _mm256_srl_epi32(all, shift); /* hashes 0 1 4 5 2 3 6 7 */
		all = _mm256_packus_epi32(all, all);
		/* 0 1 4 5 in the lower half, 2 3 6 7 in the upper: pairs change places. */
		_mm_storeu_si128(
		    (__m128i *)(void *)(slot + i), _mm_unpacklo_epi32(_mm256_castsi256_si128(all),
						       _mm256_extracti128_si256(all, 1)));
	}
}

static size_t guests_avx2(uint16_t *restrict slot, const uint16_t *restrict owner, size_t n,
    uint16_t *restrict guest, uint16_t *restrict host)
{
	return sh_repeats_plain.guests(slot, owner, n, guest, host);
}

static void count_avx2(const uint64_t *hash, size_t n, uint16_t *restrict guest,
    uint16_t *restrict host, size_t guests, uint16_t *restrict more, struct sh_repeats_found *found)
{
	sh_repeats_plain.count(hash, n, guest, host, guests, more, found);
}

const struct sh_repeats_kernel sh_repeats_avx2 = { { "avx2", SH_NEEDS_AVX2 }, slots_avx2,
	guests_avx2, count_avx2 };

/* ---- AVX-512 with packing of words (Ice Lake, Zen 4) ----------------------------------- */

#define AVX512                                                                                     \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,bmi,bmi2,popcnt")))

/* The lowest n of 32 bits, or of 8. */
static AVX512 inline uint32_t low32(size_t n)
{
	return n < 32 ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
}

static AVX512 inline __m512i load8(const uint64_t *h, uint32_t which)
{
	return _mm512_maskz_loadu_epi64((__mmask8)(which & 0xff), h);
}

/* One product of 32 bits, of the upper half: all hashes have that. What differs in the lower half
 * alone strays. */
static AVX512 inline __m128i slot8(__m512i high, __m512i key, __m512i mask, __m128i shift)
{
	__m512i x = _mm512_srl_epi64(_mm512_mul_epu32(high, key), shift);

	return _mm512_cvtepi64_epi16(_mm512_and_si512(x, mask));
}

static AVX512 void slots_avx512(
    const uint64_t *hash, size_t n, unsigned bits, uint64_t key, uint16_t *slot)
{
	const __m512i k = _mm512_set1_epi64((long long)key),
		      mask = _mm512_set1_epi64((1 << bits) - 1);
	const __m128i shift = _mm_cvtsi32_si128((int)(32 - bits));
	__m512i x;
	size_t i;

	/* Loads that begin half a hash later need no shift, and have one hash left behind them. */
	for (i = 0; i + 8 < n; i += 8) {
		x = _mm512_loadu_si512((const char *)(hash + i) + 4);
		_mm_storeu_si128((__m128i *)(void *)(slot + i), slot8(x, k, mask, shift));
	}
	x = _mm512_srli_epi64(load8(hash + i, low32(n - i)), 32);
	_mm_storeu_si128((__m128i *)(void *)(slot + i), slot8(x, k, mask, shift));
}

/* Each slot becomes its owner. Not inline and not `restrict`: gcc would put vectors together out
 * of single loads, which takes three times as long. */
static __attribute__((noinline)) void look_up(uint16_t *slot, const uint16_t *owner, size_t n)
{
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++)
		slot[i] = owner[slot[i]];
}

static AVX512 size_t guests_avx512(uint16_t *restrict slot, const uint16_t *restrict owner,
    size_t n, uint16_t *restrict guest, uint16_t *restrict host)
{
	__m512i index = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,
	    16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	size_t guests = 0;

	look_up(slot, owner, n);
	for (size_t i = 0; i < n; i += 32) {
		__m512i first = _mm512_loadu_si512(slot + i);
		uint32_t which = _mm512_cmpneq_epi16_mask(first, index) & low32(n - i);

		_mm512_storeu_si512(guest + guests, _mm512_maskz_compress_epi16(which, index));
		_mm512_storeu_si512(host + guests, _mm512_maskz_compress_epi16(which, first));
		guests += (size_t)_mm_popcnt_u32(which);
		index = _mm512_add_epi16(index, _mm512_set1_epi16(32));
	}
	return guests;
}

/* Those that have guests, with the number of these and one more. */
static AVX512 void collect(
    const uint64_t *hash, size_t n, const uint16_t *more, struct sh_repeats_found *found)
{
	const __m512i one = _mm512_set1_epi32(1);
	uint64_t *to = found->hash;
	uint32_t *count = found->count;

	for (size_t i = 0; i < n; i += 32) {
		__m512i v = _mm512_loadu_si512(more + i), packed;
		uint32_t which = _mm512_test_epi16_mask(v, v) & low32(n - i);
		unsigned all = (unsigned)_mm_popcnt_u32(which);

		packed = _mm512_maskz_compress_epi16(which, v);
		v = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(packed));
		_mm512_storeu_si512(count, _mm512_add_epi32(v, one));
		v = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(packed, 1));
		if (__builtin_expect(all > 16, 0))
			_mm512_storeu_si512(count + 16, _mm512_add_epi32(v, one));
		count += all;
		for (size_t j = 0; j < 32; j += 8) {
			uint32_t part = which >> j & 0xff;

			_mm512_storeu_si512(to,
			    _mm512_maskz_compress_epi64((__mmask8)part, load8(hash + i + j, part)));
			to += _mm_popcnt_u32(part);
		}
	}
	found->n = (size_t)(to - found->hash);
}

static AVX512 void count_avx512(const uint64_t *hash, size_t n, uint16_t *restrict guest,
    uint16_t *restrict host, size_t guests, uint16_t *restrict more, struct sh_repeats_found *found)
{
	size_t strays = 0;

	memset(more, 0, n * sizeof *more);
	for (size_t i = 0; i < guests; i++) {
		uint16_t first = host[i];
		uint64_t h = hash[guest[i]];
		bool same = hash[first] == h;

		found->stray[strays] = h;
		strays += !same;
		more[first] = (uint16_t)(more[first] + same);
	}
	found->strays = strays;
	collect(hash, n, more, found);
}

const struct sh_repeats_kernel sh_repeats_avx512 = {
	{ "avx512", SH_NEEDS_AVX512 | SH_NEEDS_AVX512_DQ | SH_NEEDS_AVX512_VL |
			SH_NEEDS_AVX512_VBMI2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT },
	slots_avx512, guests_avx512, count_avx512
};

#endif
