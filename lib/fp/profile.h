/* Profiles: named sets of choices by which shtok, shweight and shfp agree. The default,
 * and published systems, whose fingerprints they give bit for bit. The rules and where
 * they come from: simhash-profiles(7). */
#ifndef SH_FP_PROFILE_H
#define SH_FP_PROFILE_H

#include "fp/fingerprinter.h"

/* The fingerprint of a document without features. */
enum sh_empty {
	SH_EMPTY_SKIP,  /* none: the document is reported and left out */
	SH_EMPTY_ERROR, /* none: it is a bad record */
	SH_EMPTY_ZERO,  /* all bits 0 */
	SH_EMPTY_ONES,  /* all bits 1 */
	SH_EMPTY_TEXT,  /* the hash of the empty text, as if that were its one feature */
};

/* Write the fingerprint that the rule gives; false when it gives none. */
bool sh_empty_fingerprint(
    enum sh_empty rule, const struct sh_fingerprint_opts *opts, uint64_t *out);

/* Which features shweight -t N keeps where weights are equal, and in which order. */
enum sh_top {
	SH_TOP_FIRST, /* heaviest first, the one that stood first in the document first */
	SH_TOP_TEXT,  /* heaviest first, of equal ones the bytewise lowest */
	SH_TOP_HEAP,  /* as a heap leaves them that was fed in bytewise order: see weight/top.h */
};

struct sh_profile {
	const char *name;
	const char *method; /* how text is cut, text/method.h */
	bool no_fold;
	bool punctuation;
	unsigned min_chars;
	const char *stem;
	const char *stop; /* words, one a line, that are dropped in any ASCII case; or NULL */
	struct sh_ngrams ngrams;

	const char *weight; /* scheme; one that needs df leads by way of shweight alone */
	uint64_t top;       /* features kept, 0: all */
	enum sh_top top_rule;
	/* Weights and sums are doubles: count * idf, where features that the idf table lacks get
	 * its mean, summed up in the order of the features. Their form as records: weight/doubles.h. */
	bool real;
	bool rounded; /* fractions of weights are added as in weight/rounded.h */

	const char *hash;
	unsigned bits;
	unsigned bits_min, bits_max, bits_step; /* other widths that the system has */
	unsigned tie;
	enum sh_empty empty;
	const char *bin; /* the format that the system's bit strings have */
};

/* NULL when there is none of that name. */
const struct sh_profile *sh_profile_find(const char *name);

/* The rows in order, the default first; NULL after the last. */
const struct sh_profile *sh_profile_at(unsigned i);

/* Whether the profile has fingerprints of so many bits. */
bool sh_profile_has_bits(const struct sh_profile *p, unsigned bits);

/* Fill in what the profile says of tokens and n-grams. Lists of stop words are the caller's. */
void sh_profile_tokens(
    const struct sh_profile *p, struct sh_token_opts *token, struct sh_ngrams *ngrams);

#endif
