/* MinHash with AVX-512. */
#include "fp/minhash_kernel.h"

#if defined(__x86_64__)

#include <string.h>

#include "hash/mix.h"
#include "hash/mix_x86.h"
#include "record/fingerprint.h"

enum {
	BATCH = 256, /* hashes of one batch */
	BIN_WORDS = SH_FP_MAX_BITS / 64,
};

/* The set of empty bins: bit i % 64 of word i / 64 for bin i. Two vectors hold the words. */
struct empty_bins {
	uint64_t word[BIN_WORDS];
	unsigned n; /* empty bins */
};

_Static_assert(BIN_WORDS == 16, "two vectors of eight words hold the set of empty bins");

static inline uint64_t tag_of(unsigned round)
{
	return (uint64_t)round << SH_MINHASH_VALUE_BITS;
}

/* Mixes eight hashes for a round. */
static AVX512 inline __m512i mix8(__m512i h, unsigned round)
{
	const __m512i add = _mm512_set1_epi64((long long)((round + 1) * SH_MIX_GOLDEN));

	return moremur8(_mm512_add_epi64(h, add));
}

/* Returns the bins of eight mixed hashes. */
static AVX512 inline __m512i bins8(__m512i x, unsigned bins)
{
	const __m512i n = _mm512_set1_epi64(bins);

	if (bins == 64)
		return _mm512_srli_epi64(x, 58);
	return _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(x, 32), n), 32);
}

/* Returns the values of eight mixed hashes in round 0. */
static AVX512 inline __m512i values8(__m512i x)
{
	return _mm512_and_si512(x, _mm512_set1_epi64((long long)SH_MINHASH_VALUE_MASK));
}

/* Offers a value to a bin. Has no branch on the values, which are random. */
static inline void offer(uint64_t *bin, uint64_t value)
{
	uint64_t old = *bin;

	*bin = value < old ? value : old;
}

/* Does round 0: offers all hashes to their bins. */
static AVX512 inline void offer_all(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin)
{
	uint64_t at[BATCH], value[BATCH];

	for (size_t i = 0, m; i < n; i += m) {
		m = n - i < BATCH ? n - i : BATCH;
		for (size_t j = 0; j < m; j += 8) {
			__m512i x = _mm512_maskz_loadu_epi64(first(m - j), h + i + j);

			x = mix8(x, 0);
			_mm512_storeu_si512(at + j, bins8(x, bins));
			_mm512_storeu_si512(value + j, values8(x));
		}
		for (size_t j = 0; j < m; j++)
			offer(&bin[at[j]], value[j]);
	}
}

/* Returns which of eight bins are in the set with the words low and high. */
static AVX512 inline __mmask8 which_empty8(__m512i at, __m512i low, __m512i high, unsigned bins)
{
	__m512i word = _mm512_permutex2var_epi64(low, _mm512_srli_epi64(at, 6), high);

	if (bins == 64)
		word = _mm512_broadcastq_epi64(_mm512_castsi512_si128(low));
	return _mm512_test_epi64_mask(_mm512_rorv_epi64(word, at), _mm512_set1_epi64(1));
}

static inline void remove_bin(struct empty_bins *empty, uint64_t at)
{
	uint64_t *word = &empty->word[at / 64], bit = UINT64_C(1) << at % 64;

	empty->n -= (*word & bit) != 0;
	*word &= ~bit;
}

/* Offers the hashes whose bins were empty before the round. Collects the hashes of a batch first: a
 * loop over the hashes of one vector would end at random. */
static AVX512 inline void offer_to_empty(const uint64_t *h, size_t n, unsigned round, unsigned bins,
    struct empty_bins *empty, uint64_t *bin)
{
	uint64_t chosen[BATCH + 8];
	const __m512i low = _mm512_loadu_si512(empty->word);
	const __m512i high = _mm512_loadu_si512(empty->word + 8);

	for (size_t i = 0, m; i < n; i += m) {
		size_t k = 0;

		m = n - i < BATCH ? n - i : BATCH;
		for (size_t j = 0; j < m; j += 8) {
			__mmask8 part = first(m - j);
			__m512i x = mix8(_mm512_maskz_loadu_epi64(part, h + i + j), round);

			part &= which_empty8(bins8(x, bins), low, high, bins);
			_mm512_storeu_si512(chosen + k, _mm512_maskz_compress_epi64(part, x));
			k += (unsigned)__builtin_popcount(part);
		}
		for (size_t j = 0; j < k; j++) {
			uint64_t at = (chosen[j] >> 32) * bins >> 32;

			offer(&bin[at], tag_of(round) | (chosen[j] & SH_MINHASH_VALUE_MASK));
			remove_bin(empty, at);
		}
	}
}

static AVX512 void find_empty(const uint64_t *bin, unsigned bins, struct empty_bins *empty)
{
	const __m512i none = _mm512_set1_epi64((long long)SH_MINHASH_EMPTY);

	*empty = (struct empty_bins){ 0 };
	for (unsigned i = 0; i < bins; i += 8) {
		__mmask8 part = first(bins - i);

		part = _mm512_mask_cmpeq_epi64_mask(
		    part, _mm512_maskz_loadu_epi64(part, bin + i), none);
		empty->word[i / 64] |= (uint64_t)part << i % 64;
		empty->n += (unsigned)__builtin_popcount(part);
	}
}

static AVX512 inline __attribute__((always_inline)) bool fill(
    const uint64_t *h, size_t n, unsigned bins, uint64_t *bin, unsigned *filled)
{
	struct empty_bins empty;

	memset(bin, 0xff, bins * sizeof *bin); /* SH_MINHASH_EMPTY */
	offer_all(h, n, bins, bin);
	find_empty(bin, bins, &empty);
	*filled = bins - empty.n;
	for (unsigned round = 1; round < bins && empty.n; round++)
		offer_to_empty(h, n, round, bins, &empty, bin);
	return empty.n > 0;
}

static AVX512 bool fill_avx512(
    const uint64_t *h, size_t n, unsigned bins, uint64_t *bin, unsigned *filled)
{
	return bins == 64 ? fill(h, n, 64, bin, filled) : fill(h, n, bins, bin, filled);
}

static AVX512 void bits_avx512(const uint64_t *bin, unsigned bits, uint64_t *out)
{
	const __m512i reverse = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);

	for (unsigned i = 0; i < bits; i += 8) {
		__m512i v = _mm512_permutexvar_epi64(reverse, _mm512_loadu_si512(bin + i));

		out[i / 64] = out[i / 64] << 8 | _mm512_test_epi64_mask(v, _mm512_set1_epi64(1));
	}
}

const struct sh_minhash_kernel sh_minhash_avx512 = { { "avx512", WORDS_AVX512_NEEDS }, fill_avx512,
	bits_avx512 };

#endif
