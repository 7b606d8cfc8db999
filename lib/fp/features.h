/* SPDX-License-Identifier: MIT */
/* The set of features of a document, from which exact similarities are computed.
 *
 * A feature is the text of an n-gram (text/ngram.h), as in a fingerprint. But sh_ngrams.past_first
 * has no effect here: texts are compared as a whole. A set holds the feature's hash of 64 bits
 * under a secret random key (hash/keyed.h): without the key nobody can write texts whose features
 * collide. Two given features collide with probability at most 2^-63. */
#ifndef SH_FP_FEATURES_H
#define SH_FP_FEATURES_H

#include "text/ngram.h"

#include <stdbool.h>
#include <stdint.h>

struct sh_feature_set {
	const uint64_t *hash;    /* distinct hashes, ascending; may be NULL when n is 0 */
	const uint32_t *count;   /* occurrences of each hash */
	size_t n;                /* 0 for a document without features */
	const uint64_t *ordered; /* the hashes of the tokens in the order of the text */
	size_t n_ordered;
	uint64_t bad_utf8; /* ill-formed sequences in the text */
};

/* Sets with equal of_tokens and key can be compared. */
struct sh_feature_opts {
	struct sh_token_opts token;
	struct sh_ngrams ngrams;
	/* Hash the hashes of an n-gram's tokens. Archives hold sets of this form, which are the
	 * same in every version. Otherwise the fastest way, for sets of one run. */
	bool of_tokens;
	uint64_t key[2];
	bool only_order; /* n is 0, and sets have no hashes and counts */
	bool cut;        /* with of_tokens: sets the lower 32 bits of each token's hash to 0 */
};

/* Makes feature sets. One thread at a time may use an object. The options are copied; objects that
 * the token options borrow must outlive it. */
struct sh_features;

/* Fails as sh_tokenizer_new() does. */
struct sh_features *sh_features_new(const struct sh_feature_opts *opts, struct sh_error *err);
/* f may be NULL. */
void sh_features_delete(struct sh_features *f);

/* Computes the set of a text. The set belongs to f, and is valid until the next call with f.
 * Returns 0; or -1, and *set is then undefined. Fails as sh_tokenize() does. SH_ERR_RANGE: the text
 * has more than INT32_MAX n-grams. */
int sh_features_of(
    struct sh_features *f, struct sh_slice text, struct sh_feature_set *set, struct sh_error *err);

/* Computes the same set from `ordered` of an earlier one: n hashes of tokens. The earlier set may
 * be of another object with the same key, or of f. Only with opts.of_tokens, or for words of the
 * default method in n-grams of at most SH_KEYED_ROW_MAX tokens. Ignores opts.only_order, and
 * opts.cut: the hashes are cut already. token may be NULL when n is 0. */
int sh_features_of_sequence(struct sh_features *f, const uint64_t *token, size_t n,
    struct sh_feature_set *set, struct sh_error *err);

#endif
