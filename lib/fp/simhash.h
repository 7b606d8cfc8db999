/* A document's fingerprint from its features' hashes and weights (Charikar 2002).
 *
 *     struct sh_simhash s;
 *     sh_simhash_init(&s, 64, 0, err);
 *     for each document:
 *             sh_simhash_clear(&s);
 *             sh_simhash_add(&s, words, weight, err), or a batch
 *             sh_simhash_finish(&s, out);
 *
 * A bit is 1 when the features that have it weigh more than those that lack it;
 * where both weigh the same, the bit is `tie`, in a document without weight too.
 * Weights are millionths and sums exact, so neither the order nor the way in which
 * features are added can change a bit. Bit order and padding: record/fingerprint.h.
 *
 * The object is a plain value (about 14 KiB), holds no memory, is never shared. */
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
	bool summed;      /* sum holds anything */
	int64_t weighted; /* total weight in sum; negative when more was taken back */
	uint64_t units;   /* features of weight 1 in planes */
	uint64_t planes[SH_FP_MAX_WORDS][SH_PLANES];
	int64_t sum[SH_FP_MAX_WORDS][64]; /* weight of the features that have the bit */
};

/* bits 1 .. SH_FP_MAX_BITS, tie 0 or 1; else SH_ERR_PARAM. */
int sh_simhash_init(struct sh_simhash *s, unsigned bits, unsigned tie, struct sh_error *err);

/* Empty again, for the next document. */
void sh_simhash_clear(struct sh_simhash *s);

/* The adding functions return -1 and leave the object as it was when the total
 * weight would not fit in an int64_t of millionths (SH_ERR_RANGE) or a weight is
 * negative (SH_ERR_PARAM). */

/* One feature of any hash: s->words words. */
int sh_simhash_add(
    struct sh_simhash *s, const uint64_t *words, int64_t weight, struct sh_error *err);

/* n features by the first word of their hashes; further words are sh_mix_word() of
 * it (so: any hash up to 64 bits, mix beyond). Each has weight 1. */
int sh_simhash_add_units(struct sh_simhash *s, const uint64_t *h, size_t n, struct sh_error *err);

/* The same with a weight for each. */
int sh_simhash_add_weighted(struct sh_simhash *s, const uint64_t *h, const int64_t *weights,
    size_t n, struct sh_error *err);

/* Take back weight that was added: n features, which were added with at least this
 * weight each, `all` together. Not checked. */
void sh_simhash_take_back(
    struct sh_simhash *s, const uint64_t *h, const int64_t *weights, size_t n, int64_t all);

/* Total weight in millionths. 0: the document is empty. */
int64_t sh_simhash_total(const struct sh_simhash *s);

/* Write SH_FP_WORDS(bits) words. The object stays as it is: more may be added. */
void sh_simhash_finish(const struct sh_simhash *s, uint64_t *out);

#endif
