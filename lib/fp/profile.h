/* Profiles: named sets of choices that shtok, shweight and shfp share. The first one is the default; the
 * others give the fingerprints of published systems, bit for bit. Rules and sources:
 * simhash-profiles(7). */
#ifndef SH_FP_PROFILE_H
#define SH_FP_PROFILE_H

#include "fp/fingerprinter.h"

/* The result for a document without features. */
enum sh_empty {
	SH_EMPTY_SKIP,  /* no fingerprint; the document is reported */
	SH_EMPTY_ERROR, /* no fingerprint; the record is bad */
	SH_EMPTY_ZERO,  /* all bits 0 */
	SH_EMPTY_ONES,  /* all bits 1 */
	SH_EMPTY_TEXT,  /* the fingerprint of one feature, the empty text */
};

/* Writes the fingerprint that the rule gives. Returns false when it gives none. */
bool sh_empty_fingerprint(
    enum sh_empty rule, const struct sh_fingerprint_opts *opts, uint64_t *out);

/* Which features shweight -t N keeps among equal weights, and the order of its output. */
enum sh_top {
	SH_TOP_FIRST, /* descending weights; equal weights by first occurrence */
	SH_TOP_TEXT,  /* descending weights; equal weights in bytewise order */
	SH_TOP_HEAP,  /* as a heap filled in bytewise order leaves them: see weight/top.h */
};

struct sh_profile {
	const char *name;
	const char *method; /* method of splitting text into tokens, text/method.h */
	bool no_fold;
	bool punctuation;
	unsigned min_chars;
	const char *stem;
	const char *stop; /* stop words, one per line, compared without ASCII case; or NULL */
	struct sh_ngrams ngrams;

	const char *weight; /* scheme; a scheme that needs df is applied by shweight only */
	uint64_t top;       /* number of heaviest features kept; 0: all */
	enum sh_top top_rule;
	/* Weights and bit sums are doubles, added in the order of the features. A weight is count *
	 * idf; a feature that the IDF table lacks gets the mean IDF. In records: weight/doubles.h. */
	bool real;
	bool rounded; /* fractions of weights are added as weight/rounded.h says */

	const char *hash;
	bool minhash; /* fingerprints are minwise: weights do not count */
	unsigned bits;
	unsigned bits_min, bits_max,
	    bits_step; /* widths that -b accepts; step 0: only 32, 64, 128 and 256 */
	unsigned tie;
	enum sh_empty empty;
	const char *bin; /* name of the format (fp/format.h) that `shfp -x bin` writes */
};

/* Returns the profile of this name, or NULL. */
const struct sh_profile *sh_profile_find(const char *name);

/* Returns profile number i, the default first; NULL after the last one. */
const struct sh_profile *sh_profile_at(unsigned i);

/* Returns whether the profile has fingerprints of this width. */
bool sh_profile_has_bits(const struct sh_profile *p, unsigned bits);

/* Copies the profile's options for tokens and n-grams. The caller makes the stop word list. */
void sh_profile_tokens(
    const struct sh_profile *p, struct sh_token_opts *token, struct sh_ngrams *ngrams);

#endif
