/* Repeated hashes with AVX-512 and its instructions that pack words (Ice Lake, Zen 4). */
#include "fp/repeats_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define AVX512                                                                                     \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,bmi,bmi2,popcnt")))

/* Returns a mask of the lowest n bits; of 32 bits when n >= 32. */
static AVX512 inline uint32_t low32(size_t n)
{
	return n < 32 ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
}

/* Loads the hashes h[0..7] whose bits of `which` are 1, and 0 for the other bits. */
static AVX512 inline __m512i load8(const uint64_t *h, uint32_t which)
{
	return _mm512_maskz_loadu_epi64((__mmask8)(which & 0xff), h);
}

/* Returns the upper halves of 16 hashes in the order 0 8 1 9 ... 7 15. The load from the upper half
 * of h[0] has the upper halves of h[0..7] where the load from h[8] has lower halves. */
static AVX512 inline __m512i halves16(const uint64_t *h)
{
	return _mm512_mask_loadu_epi32(
	    _mm512_loadu_si512((const char *)h + 4), 0xaaaa, (const char *)(h + 8));
}

/* Returns the slots of 32 hashes. */
static AVX512 inline __m512i slots32(const uint64_t *h, unsigned bits, __m512i key)
{
	/* The blend holds the slots of hashes 0 16 8 24 1 17 9 25 ... */
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
	uint64_t last[32] = { 0 };
	size_t i;

	for (i = 0; i + 32 < n; i += 32)
		_mm512_storeu_si512(slot + i, slots32(hash + i, bits, k));
	memcpy(last, hash + i, (n - i) * sizeof *hash);
	_mm512_storeu_si512(slot + i, slots32(last, bits, k));
}

/* Replaces each slot by the index of its first hash. Not inlined and without `restrict`: gcc would
 * assemble vectors from single loads, which takes three times as long. */
static __attribute__((noinline)) void look_up(uint16_t *slot, const uint16_t *table, size_t n)
{
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++)
		slot[i] = table[slot[i]];
}

/* Returns the indexes 0 to 31. */
static AVX512 inline __m512i indexes32(void)
{
	return _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15,
	    14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

static AVX512 size_t later_avx512(uint16_t *restrict slot, const uint16_t *restrict table, size_t n,
    uint16_t *restrict later, uint16_t *restrict first)
{
	__m512i index = indexes32();
	size_t found = 0;

	look_up(slot, table, n);
	for (size_t i = 0; i < n; i += 32) {
		__m512i f = _mm512_loadu_si512(slot + i);
		uint32_t which = _mm512_cmpneq_epi16_mask(f, index) & low32(n - i);

		_mm512_storeu_si512(later + found, _mm512_maskz_compress_epi16(which, index));
		_mm512_storeu_si512(first + found, _mm512_maskz_compress_epi16(which, f));
		found += (size_t)_mm_popcnt_u32(which);
		index = _mm512_add_epi16(index, _mm512_set1_epi16(32));
	}
	return found;
}

/* Writes each hash with more[i] > 0, and its count, more[i] + 1. */
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
			uint32_t eight = which >> j & 0xff;

			_mm512_storeu_si512(to, _mm512_maskz_compress_epi64(
						    (__mmask8)eight, load8(hash + i + j, eight)));
			to += _mm_popcnt_u32(eight);
		}
	}
	found->n = (size_t)(to - found->hash);
}

static AVX512 void count_avx512(const uint64_t *hash, size_t n, uint16_t *restrict later,
    uint16_t *restrict first, size_t n_later, uint16_t *restrict more,
    struct sh_repeats_found *found)
{
	size_t collided = 0;

	memset(more, 0, n * sizeof *more);
	for (size_t i = 0; i < n_later; i++) {
		uint16_t f = first[i];
		uint64_t h = hash[later[i]];
		bool same = hash[f] == h;

		found->collided[collided] = h;
		collided += !same;
		more[f] = (uint16_t)(more[f] + same);
	}
	found->n_collided = collided;
	collect(hash, n, more, found);
}

/* Writes each hash that is the first of its slot. Returns their number. */
static AVX512 size_t firsts(
    const uint64_t *hash, const uint16_t *first, size_t n, uint64_t *restrict to)
{
	__m512i index = indexes32();
	size_t all = 0;

	for (size_t i = 0; i < n; i += 32) {
		__m512i v = _mm512_loadu_si512(first + i);
		uint32_t which = _mm512_cmpeq_epi16_mask(v, index) & low32(n - i);

		for (size_t j = 0; j < 32; j += 8) {
			uint32_t eight = which >> j & 0xff;

			v = load8(hash + i + j, eight);
			_mm512_storeu_si512(
			    to + all, _mm512_maskz_compress_epi64((__mmask8)eight, v));
			all += (size_t)_mm_popcnt_u32(eight);
		}
		index = _mm512_add_epi16(index, _mm512_set1_epi16(32));
	}
	return all;
}

static void once_avx512(const uint64_t *hash, size_t n, uint16_t *restrict slot,
    const uint16_t *restrict table, uint16_t *restrict later, uint16_t *restrict first,
    struct sh_repeats_found *found)
{
	size_t n_later = later_avx512(slot, table, n, later, first), collided = 0;

	found->n = firsts(hash, slot, n, found->hash);
	for (size_t i = 0; i < n_later; i++) {
		uint64_t h = hash[later[i]];

		found->collided[collided] = h;
		collided += hash[first[i]] != h;
	}
	found->n_collided = collided;
}

const struct sh_repeats_kernel sh_repeats_avx512 = {
	{ "avx512", SH_NEEDS_AVX512 | SH_NEEDS_AVX512_DQ | SH_NEEDS_AVX512_VL |
			SH_NEEDS_AVX512_VBMI2 | SH_NEEDS_BMI | SH_NEEDS_POPCNT },
	slots_avx512, later_avx512, count_avx512, once_avx512
};

#endif
