/* SPDX-License-Identifier: MIT */
/* The set of features of a document, from which exact similarities are computed.
 *
 * A feature is the text of an n-gram (text/ngram.h), as in a fingerprint. A set holds the feature's
 * hash of 64 bits under a secret random key (hash/keyed.h): without the key nobody can write texts
 * whose features collide. Two given features collide with probability at most 2^-63. */
#ifndef SH_FP_FEATURES_H
#define SH_FP_FEATURES_H

#include "text/ngram.h"

#include <stdbool.h>
#include <stdint.h>

struct sh_feature_set {
	const uint64_t *hash;  /* distinct hashes, ascending */
	const uint32_t *count; /* occurrences of each */
	size_t n;              /* 0 for a document without features */
	/* The hashes of the tokens in the order of the text. Only with opts.ordered. */
	const uint64_t *ordered;
	size_t n_ordered;
};

/* Sets with equal of_tokens and key can be compared. */
struct sh_feature_opts {
	struct sh_token_opts token;
	struct sh_ngrams ngrams;
	/* Hash the hashes of an n-gram's tokens. Archives hold sets of this form, which are the
	 * same in every version. Otherwise the fastest way, for sets of one run. */
	bool of_tokens;
	uint64_t key[2];
	bool ordered;    /* sets have `ordered`; with of_tokens they always have it */
	bool only_order; /* n is 0, and sets have no hashes and counts */
	bool cut;        /* with of_tokens: sets the lower 32 bits of each token's hash to 0 */
};

/* Makes feature sets. One thread at a time may use an object. The options are copied; objects that
 * the token options borrow must outlive it. */
struct sh_features;

struct sh_features *sh_features_new(const struct sh_feature_opts *opts, struct sh_error *err);
void sh_features_delete(struct sh_features *f);

/* Returns whether a set follows from the hashes of its tokens. The bytes between tokens are then
 * not read. */
bool sh_features_follow(const struct sh_feature_opts *opts);

/* Computes the set of a text from its tokens. The set is valid until the next call. Their tokenizer
 * may have the option `apart` (text/token.h) only when sh_features_follow() returns true.
 * SH_ERR_RANGE: the text has more than INT32_MAX n-grams. */
int sh_features_of(struct sh_features *f, const struct sh_tokens *t, struct sh_feature_set *set,
    struct sh_error *err);

/* The same set from `ordered` of an earlier one: n hashes of tokens. Only when sh_features_follow()
 * returns true. Ignores opts.only_order. */
int sh_features_of_sequence(struct sh_features *f, const uint64_t *token, size_t n,
    struct sh_feature_set *set, struct sh_error *err);

#endif
