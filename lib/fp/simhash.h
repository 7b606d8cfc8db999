/* Computes a document's fingerprint from the hashes and weights of its features (Charikar 2002).
 *
 *     struct sh_simhash s;
 *     sh_simhash_init(&s, 64, 0, err);
 *     for each document:
 *             sh_simhash_clear(&s);
 *             sh_simhash_add(&s, words, weight, err), for each feature or for many
 *             sh_simhash_finish(&s, out);
 *
 * A bit is 1 when the features that have it weigh more than the features that lack it. When both
 * weigh the same the bit is `tie`, also in a document whose total weight is 0. Weights are
 * millionths and sums are exact, so no bit depends on the order in which features are added. Order
 * of the bits and padding: record/fingerprint.h.
 *
 * The object is a plain value of about 14 KiB. It owns no memory. One thread uses it. */
#ifndef SH_FP_SIMHASH_H
#define SH_FP_SIMHASH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/num.h"
#include "fp/simhash_kernel.h"
#include "record/fingerprint.h"

struct sh_simhash {
	const struct sh_simhash_kernel *kernel;
	unsigned bits, words, tie;
	/* Features of weight 1 are counted in planes. All other weights are added in sum. */
	uint64_t units; /* number of features in planes */
	/* for each bit: the number of features that have it, as bit slices */
	uint64_t planes[SH_FP_MAX_WORDS][SH_PLANES];
	bool summed;                      /* sum has a value that is not 0 */
	int64_t weighted;                 /* total weight in sum; negative after subtractions */
	int64_t sum[SH_FP_MAX_WORDS][64]; /* for each bit: weight of the features that have it */
};

/* bits: 1 to SH_FP_MAX_BITS. tie: 0 or 1. Other values are SH_ERR_PARAM. */
int sh_simhash_init(struct sh_simhash *s, unsigned bits, unsigned tie, struct sh_error *err);

/* Removes all features: a new document begins. */
void sh_simhash_clear(struct sh_simhash *s);

/* Weights are millionths. The three functions that add return -1 in two cases, and then add nothing. SH_ERR_RANGE:
 * the total weight would be above INT64_MAX. SH_ERR_PARAM: a weight is negative. */

/* Adds one feature by its hash, which has s->words words. */
int sh_simhash_add(
    struct sh_simhash *s, const uint64_t *words, int64_t weight, struct sh_error *err);

/* Adds n features of weight 1 by the first words of their hashes. Word j of a hash is sh_mix_word()
 * of the first one; so a fingerprint of more than 64 bits needs the hash mix. */
int sh_simhash_add_units(struct sh_simhash *s, const uint64_t *h, size_t n, struct sh_error *err);

/* Does the same with a weight for each feature. */
int sh_simhash_add_weighted(struct sh_simhash *s, const uint64_t *h, const int64_t *weights,
    size_t n, struct sh_error *err);

/* Subtracts weights[i] from feature i, for n features. Each was added with at least this weight.
 * `all` is the sum of the weights. Nothing is checked. */
void sh_simhash_subtract(
    struct sh_simhash *s, const uint64_t *h, const int64_t *weights, size_t n, int64_t all);

/* Returns the total weight in millionths: 0 for an empty document. */
int64_t sh_simhash_total(const struct sh_simhash *s);

/* Writes SH_FP_WORDS(bits) words. More features may be added afterwards. */
void sh_simhash_finish(const struct sh_simhash *s, uint64_t *out);

#endif
