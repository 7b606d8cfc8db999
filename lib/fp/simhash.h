/* SPDX-License-Identifier: MIT */
/* Computes a document's fingerprint from the hashes and weights of its features (Charikar 2002).
 *
 *     struct sh_simhash s;
 *     sh_simhash_init(&s, 64, 0, err);
 *     for each document:
 *             sh_simhash_clear(&s);
 *             sh_simhash_add(&s, words, weight, err) for each feature,
 *             or one call of sh_simhash_add_units() or sh_simhash_add_weighted()
 *             sh_simhash_finish(&s, out);
 *
 * Bit b is 1 when the features with bit b in their hash weigh more than the features without. When
 * both weigh the same, bit b is `tie`, also in a document whose total weight is 0. Weights are
 * millionths. Sums are exact, so no bit depends on the order of the features. record/fingerprint.h
 * has the order of the bits.
 *
 * struct sh_simhash is a plain value of about 14 KiB. It owns no memory. One
 * thread at a time may use it. */
#ifndef SH_FP_SIMHASH_H
#define SH_FP_SIMHASH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/num.h"
#include "base/variant.h"
#include "record/fingerprint.h"

/* Planes are 64 bit-sliced counters, one for each bit of a word. Binary digit i of counter b, of
 * value 2^i, is bit b of plane i. SH_PLANES planes hold counts of at most SH_UNITS_MAX. */
enum { SH_PLANES = 44 };
#define SH_UNITS_MAX (INT64_MAX / 1000000)

/* Returns the number of planes that a count of n needs. */
static inline unsigned sh_planes_used(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

/* The two inner loops, in variants for different vector registers. All variants give the same
 * counts: t/unit/test_simhash.c compares the variants that this machine can run. */
struct sh_simhash_kernel {
	struct sh_variant variant;
	/* Adds to counter b the number of words h[i] that have bit b, for n words. No counter may
	 * exceed `total` afterwards: only the planes that `total` needs are read and written. */
	void (*units)(uint64_t planes[SH_PLANES], uint64_t total, const uint64_t *h, size_t n);
	/* Adds w[i] >= 0 to sum[b] for each bit b of h[i], for n words. The total of all weights
	 * that were added to sum[] since it was 0 must be at most INT32_MAX. */
	void (*weights)(int32_t sum[64], const uint64_t *h, const int64_t *w, size_t n);
};

/* Returns variant i of the variants that this machine can run, the fastest
 * first; NULL after the last. */
const struct sh_simhash_kernel *sh_simhash_kernel_at(unsigned i);

struct sh_simhash {
	const struct sh_simhash_kernel *kernel;
	unsigned bits, words, tie;
	uint64_t units; /* number of features of weight 1, which planes count by bit */
	uint64_t planes[SH_FP_MAX_WORDS][SH_PLANES];
	/* By bit: the weight, in millionths, of the other features whose hash has the bit. */
	int64_t sum[SH_FP_MAX_WORDS][64];
	int64_t weighted; /* total weight in sum */
	bool summed;      /* sum is not all 0 */
};

/* bits: 1 to SH_FP_MAX_BITS. tie: 0 or 1. SH_ERR_PARAM: other values. */
int sh_simhash_init(struct sh_simhash *s, unsigned bits, unsigned tie, struct sh_error *err);

/* Removes all features, for a new document. */
void sh_simhash_clear(struct sh_simhash *s);

/* Adds one feature. words: its hash, of s->words words. SH_ERR_RANGE: the total weight would exceed
 * INT64_MAX. SH_ERR_PARAM: a weight is negative. A failure adds nothing. */
int sh_simhash_add(
    struct sh_simhash *s, const uint64_t *words, int64_t weight, struct sh_error *err);

/* Adds n features of weight 1. h: word 0 of each hash; word j is sh_mix_word(), so that more than
 * 64 bits need the hash mix. Fails as sh_simhash_add(). */
int sh_simhash_add_units(struct sh_simhash *s, const uint64_t *h, size_t n, struct sh_error *err);

/* The same, with weights[i] for feature i. */
int sh_simhash_add_weighted(struct sh_simhash *s, const uint64_t *h, const int64_t *weights,
    size_t n, struct sh_error *err);

/* Returns the total weight in millionths: 0 for an empty document. */
int64_t sh_simhash_total(const struct sh_simhash *s);

/* Writes the SH_FP_WORDS(bits) words of the fingerprint. Does not change s. */
void sh_simhash_finish(const struct sh_simhash *s, uint64_t *out);

#endif
