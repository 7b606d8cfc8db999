/* The features of a document as a set: what two documents are compared by, exactly.
 *
 * A feature is an n-gram's text (text/ngram.h), the same as a fingerprint is made of. It is held
 * as a hash of 64 bits under a random key (hash/keyed.h): nobody can write two texts whose features
 * collide, as the hash of fingerprints, which is public, would allow. Two given features collide with
 * a probability of 2^-64 under a key that is given, of at most 2^-63 under one that is drawn. */
#ifndef SH_FP_FEATURES_H
#define SH_FP_FEATURES_H

#include "text/ngram.h"

#include <stdint.h>

struct sh_feature_set {
	const uint64_t *hash;  /* distinct, ascending */
	const uint32_t *count; /* occurrences of each */
	size_t n;              /* 0: a document without features */
	uint64_t bad_utf8;     /* ill-formed sequences met in the text */
	/* The features in the order of the text; only after sh_features_keep_order(). */
	const uint64_t *ordered;
	size_t n_ordered;
};

/* One serves one thread. */
struct sh_features;

/* Sets are comparable when they were made under one key, in any run: archives hold them. */
struct sh_features *sh_features_new(const struct sh_token_opts *token, struct sh_ngrams ngrams,
    const uint64_t key[2], struct sh_error *err);
/* Faster, under a key of its own: its sets are comparable with each other alone. */
struct sh_features *sh_features_new_apart(
    const struct sh_token_opts *token, struct sh_ngrams ngrams, struct sh_error *err);
void sh_features_delete(struct sh_features *f);

/* From now on sets have their `ordered` features. */
void sh_features_keep_order(struct sh_features *f);

/* The set is valid until the next call. */
int sh_features_of(
    struct sh_features *f, struct sh_slice text, struct sh_feature_set *set, struct sh_error *err);

#endif
