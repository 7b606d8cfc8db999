/* SPDX-License-Identifier: MIT */
/* The tables of names: rules that split text into tokens, hashes of features, and profiles, which
 * are named sets of choices that shtok, shweight and shfp share. The first profile is the default.
 * The others give the fingerprints of published systems, bit for bit: simhash-profiles(7).
 *
 * cut.c and hashes.c have the short rules, the other files one system each. */
#ifndef SH_PUBLISHED_PUBLISHED_H
#define SH_PUBLISHED_PUBLISHED_H

#include "hash/hash.h"
#include "text/method.h"
#include "text/ngram.h"
#include "text/token.h"

/* Each *_find() returns the row of this name, or NULL. Each *_at() returns row i, the default
 * first; NULL after the last. */
const struct sh_token_method *sh_token_method_find(const char *name);
const struct sh_token_method *sh_token_method_at(unsigned i);
const struct sh_hash *sh_hash_find(const char *name);
const struct sh_hash *sh_hash_at(unsigned i);

/* The result for a document without features. */
enum sh_empty {
	SH_EMPTY_SKIP,  /* no fingerprint; the document is reported */
	SH_EMPTY_ZERO,  /* all bits 0 */
	SH_EMPTY_ONES,  /* all bits 1 */
	SH_EMPTY_TEXT,  /* the fingerprint of one feature, the empty text */
	SH_EMPTY_ERROR, /* no fingerprint; the record is bad */
};

/* Which features shweight -t N keeps among equal weights, and the order of its output. */
enum sh_top {
	SH_TOP_FIRST, /* descending weights; equal weights by first occurrence */
	SH_TOP_TEXT,  /* descending weights; equal weights in bytewise order */
	SH_TOP_HEAP,  /* sh_top_heap() (published/sums.h) on the features in bytewise order */
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
	/* Weights and bit sums are doubles, added in the order of the features. A weight is the
	 * count times the IDF; times the mean IDF when the IDF table lacks the feature. Records
	 * hold these weights as published/sums.h says. */
	bool real;
	bool rounded; /* weights with fractions are summed as in published/sums.h */

	const char *hash;
	unsigned bits;
	/* Widths that -b accepts: multiples of bits_step, bits_min to bits_max.
	 * bits_step 0: 32, 64, 128, 256. */
	unsigned bits_min, bits_max, bits_step;
	unsigned tie; /* 0 or 1: value of a bit with equal weights for 0 and 1 */
	enum sh_empty empty;
	const char *bin; /* name of the format (fp/format.h) that `shfp -x bin` writes; NULL: bin */
};

/* As the functions above. */
const struct sh_profile *sh_profile_find(const char *name);
const struct sh_profile *sh_profile_at(unsigned i);

/* Returns whether the profile has fingerprints of this width. */
bool sh_profile_has_bits(const struct sh_profile *p, unsigned bits);

/* Sets *ngrams, and of *token the members method, no_fold, punctuation, min_chars and stem. The
 * other members of *token stay; the caller makes the list of stop words. */
void sh_profile_tokens(
    const struct sh_profile *p, struct sh_token_opts *token, struct sh_ngrams *ngrams);

#endif
