/* The set of features of a document, from which exact similarities are computed.
 *
 * A feature is the text of an n-gram (text/ngram.h), as in a fingerprint. It is held as a hash of 64
 * bits under a secret random key (hash/keyed.h): without the key nobody can write texts whose
 * features collide. Two given features collide with probability 2^-64 under a given key, and at most
 * 2^-63 by the hashes of sh_features_new_apart(). */
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
	/* Of sequences, and after sh_features_keep_order(): the tokens in the order of the text. */
	const uint64_t *ordered;
	size_t n_ordered;
	/* Of sequences: the distinct tokens, ascending. */
	const uint64_t *token;
	size_t n_tokens;
};

/* One thread at a time may use an object. */
struct sh_features;

/* Makes an object for sets that can be compared with all sets of the same key, also between runs: archives
 * hold such sets. */
struct sh_features *sh_features_new(const struct sh_token_opts *token, struct sh_ngrams ngrams,
    const uint64_t key[2], struct sh_error *err);
/* Makes a faster object. Its sets can be compared only with sets of objects that this function made in the same run
 * with the same key. */
struct sh_features *sh_features_new_apart(const struct sh_token_opts *token,
    struct sh_ngrams ngrams, const uint64_t key[2], struct sh_error *err);
/* Sequences of tokens: a token is hashed by the kernels of hash/keyed.h, an n-gram from the hashes of its
 * tokens. Sets made with the same key and the same `cut` can be compared, also between runs. cut: only
 * the upper 32 bits of a token's hash count, and its other bits are 0. */
struct sh_features *sh_features_new_sequences(const struct sh_token_opts *token,
    struct sh_ngrams ngrams, const uint64_t key[2], bool cut, struct sh_error *err);
/* NULL: does nothing. */
void sh_features_delete(struct sh_features *f);

/* From now on, sets have `ordered` and n_ordered. only: they have no hashes and counts, and n is 0; those of sequences
 * still have `token`. */
void sh_features_keep_order(struct sh_features *f, bool only);

/* Computes the set of a text. The set is valid until the next call. SH_ERR_PARAM: the text has 2 GiB or more.
 * SH_ERR_RANGE: it has more than INT32_MAX n-grams. */
int sh_features_of(
    struct sh_features *f, struct sh_slice text, struct sh_feature_set *set, struct sh_error *err);

/* The same for a text that was split into tokens already. The tokenizer may have had the option `apart` (text/token.h) only
 * when sh_features_take_apart(). */
int sh_features_of_tokens(struct sh_features *f, const struct sh_tokens *t,
    struct sh_feature_set *set, struct sh_error *err);
/* Returns whether sets are computed from the tokens alone, without the bytes between them. */
bool sh_features_take_apart(const struct sh_features *f);

/* The same from the hashes of the tokens in their order, as `ordered` of an earlier set has them: `cut` is not applied
 * again. For objects of sh_features_new_sequences(). */
int sh_features_of_sequence(struct sh_features *f, const uint64_t *token, size_t n,
    struct sh_feature_set *set, struct sh_error *err);

#endif
