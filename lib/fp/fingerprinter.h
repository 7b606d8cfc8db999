/* Computes the fingerprint of a document from its text: tokens, n-grams, hashes, weights, bit sums. This is
 * the fast path of shtok | shweight | shfp, with the same result. */
#ifndef SH_FP_FINGERPRINTER_H
#define SH_FP_FINGERPRINTER_H

#include "fp/bag.h"
#include "hash/hash.h"
#include "record/fingerprint.h"
#include "text/ngram.h"
#include "weight/weight.h"

struct sh_fingerprint_opts {
	struct sh_token_opts token;
	struct sh_ngrams ngrams;
	const struct sh_hash *hash;
	const struct sh_scheme *scheme; /* must be a scheme without document frequencies */
	unsigned bits;
	uint64_t seed;
	unsigned tie; /* value of a bit whose set and unset features have equal weight */
	bool minhash; /* MinHash (minhash.h) instead of bit sums; weights are ignored */
	/* Sets sh_fingerprint.distinct for documents with at most this number of distinct features; 0: for none. */
	size_t distinct_up_to;
	bool bag;     /* count the tokens, see sh_fingerprint_bag() */
	bool real;    /* bit sums are doubles, see profile.h; features by text; at most 64 bits */
	bool rounded; /* fractions of weights as in weight/rounded.h; at most 128 bits */
};

/* Fails with SH_ERR_PARAM unless hash, bits and seed can be used together. */
int sh_fingerprint_check(const struct sh_fingerprint_opts *opts, struct sh_error *err);

/* One thread at a time may use an object. The options are copied. */
struct sh_fingerprinter;

/* Returns NULL on failure. SH_ERR_PARAM: a scheme that needs document frequencies, or see sh_fingerprint_check(). */
struct sh_fingerprinter *sh_fingerprinter_new(
    const struct sh_fingerprint_opts *opts, struct sh_error *err);
/* NULL: does nothing. */
void sh_fingerprinter_delete(struct sh_fingerprinter *f);

struct sh_fingerprint {
	uint64_t w[SH_FP_MAX_WORDS];
	bool empty;      /* the total weight is 0, as without features; w has `tie` in every bit */
	bool tokens;     /* the text has tokens */
	size_t features; /* n-grams of the text with repetitions */
	/* The number of distinct hashes, when it is at most distinct_up_to; otherwise a number above
	 * distinct_up_to. Features with equal hashes count once; a hostile text may have such features. */
	size_t distinct;
	uint64_t bad_utf8; /* ill-formed sequences in the text */
};

/* Writes the `most` smallest hashes of the last document's features to least[], as sh_bottom() does (fp/bottom.h).
 * last: what sh_fingerprint() returned for it. Returns how many: 0 for a document without features. */
size_t sh_fingerprint_sample(const struct sh_fingerprinter *f, const struct sh_fingerprint *last,
    size_t most, uint64_t *least);

/* Returns n minwise values (fp/minhash.h) of the last document, which must have features. n is at most
 * SH_FP_MAX_BITS. Valid until the next call or document. A MinHash fingerprint of n bits has these values already; with
 * opts.minhash, n must be opts.bits. */
const uint64_t *sh_fingerprint_values(
    struct sh_fingerprinter *f, const struct sh_fingerprint *last, unsigned n);

/* Returns the tokens of the last document as a bag. Needs opts.bag, and the document must have features. Valid until the
 * next document. */
const struct sh_bag *sh_fingerprint_bag(const struct sh_fingerprinter *f);

/* Returns the first words of the hashes of the last document's features: last->features of them. Valid
 * until the next document. */
const uint64_t *sh_fingerprint_hashes(const struct sh_fingerprinter *f);

/* Computes the fingerprint of a text. SH_ERR_PARAM: the text has 2 GiB or more. SH_ERR_RANGE: it has more than INT32_MAX
 * n-grams, or its weights exceed the sums. */
int sh_fingerprint(struct sh_fingerprinter *f, struct sh_slice text, struct sh_fingerprint *out,
    struct sh_error *err);

/* The same for a text that was split into tokens already. The tokenizer may have had the option `apart` (text/token.h) only
 * when sh_fingerprint_takes_apart(). */
int sh_fingerprint_tokens(struct sh_fingerprinter *f, const struct sh_tokens *tokens,
    struct sh_fingerprint *out, struct sh_error *err);
/* Returns whether fingerprints are computed from the tokens alone, without the bytes between them. */
bool sh_fingerprint_takes_apart(const struct sh_fingerprinter *f);

#endif
