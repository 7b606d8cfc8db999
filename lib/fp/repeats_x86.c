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

static void once_avx2(const uint64_t *hash, size_t n, uint16_t *restrict slot,
    const uint16_t *restrict owner, uint16_t *restrict guest, uint16_t *restrict host,
    struct sh_repeats_found *found)
{
	sh_repeats_plain.once(hash, n, slot, owner, guest, host, found);
}

const struct sh_repeats_kernel sh_repeats_avx2 = { { "avx2", SH_NEEDS_AVX2 }, slots_avx2,
	guests_avx2, count_avx2, once_avx2 };

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

/* Upper halves of 16 hashes, number 8 + i behind number i. Loads that begin half a hash later have
 * them where the other ones have their lower halves. */
static AVX512 inline __m512i halves16(const uint64_t *h)
{
	return _mm512_mask_loadu_epi32(
	    _mm512_loadu_si512((const char *)h + 4), 0xaaaa, (const char *)(h + 8));
}

/* One product of 32 bits, of the upper half: all hashes have that. What differs in the lower half
 * alone strays. Reads half a hash behind the last. */
static AVX512 inline __m512i slots32(const uint64_t *h, unsigned bits, __m512i key)
{
	/* Words come out as those of 0 16 8 24 1 17 9 25 ... */
	const __m512i order = _mm512_set_epi16(31, 27, 23, 19, 15, 11, 7, 3, 29, 25, 21, 17, 13, 9,
	    5, 1, 30, 26, 22, 18, 14, 10, 6, 2, 28, 24, 20, 16, 12, 8, 4, 0);
	__m512i a = _mm512_mullo_epi32(halves16(h), key);
	__m512i b = _mm512_mullo_epi32(halves16(h + 16), key);

	a = _mm512_srl_epi32(a, _mm_cvtsi32_si128((int)(32 - bits)));
	b = _mm512_srl_epi32(b, _mm_cvtsi32_si128((int)(16 - bits)));
	return _mm512_permutexvar_epi16(order, _mm512_mask_blend_epi16(0xaaaaaaaa, a, b));
}

static AVX512 void slots_avx512(
    const uint64_t *hash, size_t n, unsigned bits, uint64_t key, uint16_t *slot)
{
	const __m512i k = _mm512_set1_epi32((int)key);
	uint64_t last[33] = { 0 };
	size_t i;

	for (i = 0; i + 32 < n; i += 32)
		_mm512_storeu_si512(slot + i, slots32(hash + i, bits, k));
	memcpy(last, hash + i, (n - i) * sizeof *hash);
	_mm512_storeu_si512(slot + i, slots32(last, bits, k));
}

/* Each slot becomes its owner. Not inline and not `restrict`: gcc would put vectors together out
 * of single loads, which takes three times as long. */
static __attribute__((noinline)) void look_up(uint16_t *slot, const uint16_t *owner, size_t n)
{
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++)
		slot[i] = owner[slot[i]];
}

/* The first of 32 indexes. */
static AVX512 inline __m512i first32(void)
{
	return _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15,
	    14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

static AVX512 size_t guests_avx512(uint16_t *restrict slot, const uint16_t *restrict owner,
    size_t n, uint16_t *restrict guest, uint16_t *restrict host)
{
	__m512i index = first32();
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

/* The hashes of those that own their slot. */
static AVX512 size_t owners(
    const uint64_t *hash, const uint16_t *first, size_t n, uint64_t *restrict to)
{
	__m512i index = first32();
	size_t all = 0;

	for (size_t i = 0; i < n; i += 32) {
		__m512i v = _mm512_loadu_si512(first + i);
		uint32_t which = _mm512_cmpeq_epi16_mask(v, index) & low32(n - i);

		for (size_t j = 0; j < 32; j += 8) {
			uint32_t part = which >> j & 0xff;

			v = load8(hash + i + j, part);
			_mm512_storeu_si512(
			    to + all, _mm512_maskz_compress_epi64((__mmask8)part, v));
			all += (size_t)_mm_popcnt_u32(part);
		}
		index = _mm512_add_epi16(index, _mm512_set1_epi16(32));
	}
	return all;
}

static void once_avx512(const uint64_t *hash, size_t n, uint16_t *restrict slot,
    const uint16_t *restrict owner, uint16_t *restrict guest, uint16_t *restrict host,
    struct sh_repeats_found *found)
{
	size_t guests = guests_avx512(slot, owner, n, guest, host), strays = 0;

	found->n = owners(hash, slot, n, found->hash);
	for (size_t i = 0; i < guests; i++) {
		uint64_t h = hash[guest[i]];

		found->stray[strays] = h;
		strays += hash[host[i]] != h;
	}
	found->strays = strays;
}

const struct sh_repeats_kernel sh_repeats_avx512 = {
	{ "avx512", SH_NEEDS_AVX512 | SH_NEEDS_AVX512_DQ | SH_NEEDS_AVX512_VL |
			SH_NEEDS_AVX512_VBMI2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT },
	slots_avx512, guests_avx512, count_avx512, once_avx512
};

#endif
