/* From a document's text to its fingerprint in one go: tokens, n-grams, hashes,
 * weights, sums. The fast path of shtok | shweight | shfp, with the same result. */
#ifndef SH_FP_FINGERPRINTER_H
#define SH_FP_FINGERPRINTER_H

#include "hash/hash.h"
#include "record/fingerprint.h"
#include "text/ngram.h"
#include "weight/weight.h"

struct sh_fingerprint_opts {
	struct sh_token_opts token;
	struct sh_ngrams ngrams;
	const struct sh_hash *hash;
	const struct sh_scheme *scheme; /* one that needs no document frequencies */
	unsigned bits;
	uint64_t seed;
	unsigned tie; /* the bit where both sides weigh the same */
	bool minhash; /* minwise bits (minhash.h) instead of sums: weights do not count */
	/* Count the different features of documents that have no more than so many. */
	size_t distinct_up_to;
	bool real;    /* features by text: sums of doubles, see profile.h; at most 64 bits */
	bool rounded; /* fractions as in weight/rounded.h, in at most 128 bits */
};

/* Whether hash, bits and seed go together. */
int sh_fingerprint_check(const struct sh_fingerprint_opts *opts, struct sh_error *err);

/* One serves one thread. The options are copied. */
struct sh_fingerprinter;

struct sh_fingerprinter *sh_fingerprinter_new(
    const struct sh_fingerprint_opts *opts, struct sh_error *err);
void sh_fingerprinter_delete(struct sh_fingerprinter *f);

struct sh_fingerprint {
	uint64_t w[SH_FP_MAX_WORDS];
	/* Nothing weighs anything. Without features w says nothing, else it is what a tie gives. */
	bool empty;
	size_t features; /* n-grams of the text, repeated ones counted again; of sh_fingerprint() */
	/* As many different hashes, where they are no more than distinct_up_to, else some number above
	 * that. Hashes are fewer than features where somebody wrote texts of one hash. */
	size_t distinct;
	uint64_t bad_utf8; /* ill-formed sequences met */
};

int sh_fingerprint(struct sh_fingerprinter *f, struct sh_slice text, struct sh_fingerprint *out,
    struct sh_error *err);

#endif
