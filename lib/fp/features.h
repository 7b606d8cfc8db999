/* The set of features of a document, from which exact similarities are computed.
 *
 * A feature is the text of an n-gram (text/ngram.h), as in a fingerprint. A set holds the feature's
 * hash of 64 bits under a secret random key (hash/keyed.h): without the key nobody can write texts
 * whose features collide. Two given features collide with probability 2^-64, or at most 2^-63 with
 * sh_features_new_apart(). */
#ifndef SH_FP_FEATURES_H
#define SH_FP_FEATURES_H

#include "text/ngram.h"

#include <stdbool.h>
#include <stdint.h>

struct sh_feature_set {
	const uint64_t *hash;  /* distinct hashes, ascending */
	const uint32_t *count; /* occurrences of each */
	size_t n;              /* 0 for a document without features */
	uint64_t bad_utf8;     /* ill-formed sequences in the text */
	/* The hashes of the tokens in the order of the text. Only for sets of
	 * sh_features_new_sequences(), and for any set after sh_features_keep_order(). */
	const uint64_t *ordered;
	size_t n_ordered;
	/* The distinct hashes of the tokens, ascending. Only for sets of
	 * sh_features_new_sequences(). */
	const uint64_t *token;
	size_t n_tokens;
};

/* Makes feature sets. One thread at a time may use an object. The token options and the key are
 * copied; objects that the options borrow must outlive it. */
struct sh_features;

/* For sets that can be compared with all sets of the same key, also of other runs:
 * archives hold these sets. */
struct sh_features *sh_features_new(const struct sh_token_opts *token, struct sh_ngrams ngrams,
    const uint64_t key[2], struct sh_error *err);
/* Faster, for sets that are compared only with sets of this constructor in the same
 * run, with the same key. */
struct sh_features *sh_features_new_apart(const struct sh_token_opts *token,
    struct sh_ngrams ngrams, const uint64_t key[2], struct sh_error *err);
/* For sets that can be computed again from the hashes of the tokens: see sh_features_of_sequence().
 * Sets of the same key and the same `cut` can be compared, also of other runs. cut: sets the lower
 * 32 bits of each token's hash to 0. */
struct sh_features *sh_features_new_sequences(const struct sh_token_opts *token,
    struct sh_ngrams ngrams, const uint64_t key[2], bool cut, struct sh_error *err);
void sh_features_delete(struct sh_features *f);

/* From now on, sets have `ordered` and n_ordered. only: n is 0, and sets have no
 * hashes and counts. */
void sh_features_keep_order(struct sh_features *f, bool only);

/* Computes the set of a text. The set is valid until the next call. SH_ERR_PARAM: the text has 2
 * GiB or more. SH_ERR_RANGE: the text has more than INT32_MAX n-grams. */
int sh_features_of(
    struct sh_features *f, struct sh_slice text, struct sh_feature_set *set, struct sh_error *err);

/* The same from the tokens of a text. Their tokenizer may have the option `apart` (text/token.h)
 * only when sh_features_take_apart() returns true. */
int sh_features_of_tokens(struct sh_features *f, const struct sh_tokens *t,
    struct sh_feature_set *set, struct sh_error *err);
/* Returns whether the bytes between tokens are not read. */
bool sh_features_take_apart(const struct sh_features *f);

/* The same from `ordered` of an earlier set: n hashes of tokens. Only for objects of
 * sh_features_new_sequences(). */
int sh_features_of_sequence(struct sh_features *f, const uint64_t *token, size_t n,
    struct sh_feature_set *set, struct sh_error *err);

#endif
