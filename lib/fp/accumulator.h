/* One document's features, as text with weights, to its fingerprint: the long way's end. */
#ifndef SH_FP_ACCUMULATOR_H
#define SH_FP_ACCUMULATOR_H

#include "base/buf.h"
#include "fp/fingerprinter.h"
#include "fp/simhash.h"
#include "hash/mix_kernel.h"
#include "record/feature_block.h"
#include "weight/doubles.h"
#include "weight/rounded.h"

struct sh_accumulator {
	const struct sh_fingerprint_opts *opts; /* of which hash, seed, bits, tie, minhash count */
	struct sh_simhash simhash;
	uint64_t *hash; /* of the features, for minhash */
	size_t n, cap;
	struct sh_doubles doubles; /* when opts->real */
	struct sh_rounded rounded;
	bool any; /* a feature that is not empty was added, with whatever weight */
	struct sh_buf text;
	/* For blocks, where the hash is one that is composed of words'. */
	const struct sh_mix_kernel *mix;
	uint64_t *block_hash, *more_hash, *other_hash;
	int64_t *more, *other_weight;
	uint64_t mixed_seed;
};

/* opts are borrowed. */
int sh_accumulator_init(
    struct sh_accumulator *a, const struct sh_fingerprint_opts *opts, struct sh_error *err);
void sh_accumulator_free(struct sh_accumulator *a);

void sh_accumulator_clear(struct sh_accumulator *a);

/* The feature as it stands in a record, with its escapes. */
int sh_accumulator_add(
    struct sh_accumulator *a, struct sh_slice feature, int64_t weight, struct sh_error *err);

/* Whether sh_accumulator_add_block() can be used. */
static inline bool sh_accumulator_takes_blocks(const struct sh_accumulator *a)
{
	return a->block_hash != NULL;
}

/* The lines of a block, cut into words, all at once: false when their weights do not fit, and
 * nothing was added. */
bool sh_accumulator_add_block(struct sh_accumulator *a, const struct sh_feature_block *b);

/* out->empty: nothing weighs anything; out->w is then what a tie gives, which stands for
 * something only if a->any. Of minhash it says nothing then. */
void sh_accumulator_finish(struct sh_accumulator *a, struct sh_fingerprint *out);

#endif
