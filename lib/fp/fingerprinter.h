/* SPDX-License-Identifier: MIT */
/* Computes the fingerprint of a document: tokens, n-grams, hashes, weights, bit sums. The result is
 * the result of shtok | shweight | shfp. The hashes are published and have no secret key, so
 * fingerprints are the same on all machines. */
#ifndef SH_FP_FINGERPRINTER_H
#define SH_FP_FINGERPRINTER_H

#include "published/published.h"
#include "record/fingerprint.h"
#include "text/ngram.h"
#include "weight/weight.h"

struct sh_fingerprint_opts {
	struct sh_token_opts token;
	struct sh_ngrams ngrams;
	const struct sh_hash *hash;
	/* Without needs_df. NULL: the caller wants the hashes of the features only, for a set. */
	const struct sh_scheme *scheme;
	unsigned bits;
	uint64_t seed;
	unsigned tie; /* 0 or 1: value of a bit with equal weights for 0 and 1 */
	bool real; /* bit sums are doubles (published/sums.h); only for sh_accumulator; 64 bits */
	bool rounded; /* fractions of weights as in published/sums.h; at most 128 bits */
};

/* Fails with SH_ERR_PARAM unless hash, bits and seed can be used together.
 * Checks no other option. */
int sh_fingerprint_check(const struct sh_fingerprint_opts *opts, struct sh_error *err);

/* One thread at a time may use an object. The options are copied; objects that the options
 * borrow must outlive it. */
struct sh_fingerprinter;

/* SH_ERR_PARAM: a scheme that needs document frequencies, or see sh_fingerprint_check(). Otherwise
 * fails as sh_tokenizer_new() does. */
struct sh_fingerprinter *sh_fingerprinter_new(
    const struct sh_fingerprint_opts *opts, struct sh_error *err);
void sh_fingerprinter_delete(struct sh_fingerprinter *f);

struct sh_fingerprint {
	uint64_t w[SH_FP_MAX_WORDS];
	bool empty;  /* the total weight is 0; sh_fingerprint() then sets every bit of w to `tie` */
	bool tokens; /* the text has tokens */
	size_t features;   /* n-grams of the text, with repetitions */
	uint64_t bad_utf8; /* ill-formed sequences in the text */
};

/* Returns word 0 of the hash of each feature of the last document, with repetitions:
 * sh_fingerprint.features words. Valid until the next document. */
const uint64_t *sh_fingerprint_hashes(const struct sh_fingerprinter *f);

/* Computes the fingerprint of a text. Fails as sh_tokenize() does. SH_ERR_RANGE: the text has more
 * than INT32_MAX n-grams, or the total weight exceeds INT64_MAX millionths. */
int sh_fingerprint(struct sh_fingerprinter *f, struct sh_slice text, struct sh_fingerprint *out,
    struct sh_error *err);

/* Writes the fingerprint of a document without features. Returns false, and writes nothing, when
 * the rule gives no fingerprint. */
bool sh_empty_fingerprint(
    enum sh_empty rule, const struct sh_fingerprint_opts *opts, uint64_t *out);

#endif
