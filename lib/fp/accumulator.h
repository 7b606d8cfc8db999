/* One document's features, as text with weights, to its fingerprint: the long way's end. */
#ifndef SH_FP_ACCUMULATOR_H
#define SH_FP_ACCUMULATOR_H

#include "base/buf.h"
#include "fp/fingerprinter.h"
#include "fp/simhash.h"
#include "record/feature_run.h"

enum {
	SH_ACCUMULATOR_BATCH = 256,
	SH_NGRAM_TOKENS = 4, /* of an n-gram's tail */
	SH_NGRAM_TAIL = 32,  /* its bytes */
	SH_ACCUMULATOR_PADDING = 32,
};

/* The tokens of an n-gram but its first, with their hashes: the n-grams of a text overlap, and
 * mostly the next one begins with them. */
struct sh_ngram_tail {
	unsigned tokens; /* 0: there is none */
	size_t n;
	char text[SH_NGRAM_TAIL + 8];
	uint64_t hash[SH_NGRAM_TOKENS];
	uint32_t length[SH_NGRAM_TOKENS];
};

struct sh_accumulator {
	const struct sh_fingerprint_opts *opts; /* of which hash, seed, bits, tie, minhash count */
	struct sh_simhash simhash;
	uint64_t *hash; /* of the features, for minhash */
	size_t n, cap;
	double sum[64]; /* when opts->real, bit 0 first */
	bool any;       /* a feature that is not empty was added, with whatever weight */
	struct sh_buf text;
	/* Hashes of words, with their weights, to be added together. */
	bool batches;
	uint64_t mixed_seed;
	struct sh_ngram_tail tail;
	int64_t waiting; /* sum of the weights */
	unsigned batched;
	uint64_t batch[SH_ACCUMULATOR_BATCH];
	int64_t weight[SH_ACCUMULATOR_BATCH];
};

/* opts are borrowed. */
int sh_accumulator_init(
    struct sh_accumulator *a, const struct sh_fingerprint_opts *opts, struct sh_error *err);
void sh_accumulator_free(struct sh_accumulator *a);

void sh_accumulator_clear(struct sh_accumulator *a);

/* The feature as it stands in a record, with its escapes. */
int sh_accumulator_add(
    struct sh_accumulator *a, struct sh_slice feature, int64_t weight, struct sh_error *err);

/* The same, faster; SH_ACCUMULATOR_PADDING bytes behind the feature must be readable. */
int sh_accumulator_add_padded(struct sh_accumulator *a, struct sh_slice feature,
    enum sh_feature_look look, int64_t weight, struct sh_error *err);

/* out->empty: nothing weighs anything; out->w is then what a tie gives, which stands for
 * something only if a->any. */
void sh_accumulator_finish(struct sh_accumulator *a, struct sh_fingerprint *out);

#endif
