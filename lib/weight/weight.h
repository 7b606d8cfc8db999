/* Weights of features from their counts, in integers.
 *
 * Weights are millionths (base/num.h). Logarithms are natural and computed in fixed point, so
 * that no libm, compiler or processor can change a bit of a fingerprint. sh_ln() is within 2^-54
 * of the true value. A weight is rounded once, to the nearest millionth, halves up. */
#ifndef SH_WEIGHT_WEIGHT_H
#define SH_WEIGHT_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/num.h"

#define SH_LN_BITS 56

/* Returns ln(x) * 2^SH_LN_BITS; x >= 1. */
uint64_t sh_ln(uint64_t x);

/* The counts of a feature in a document. A weight uses the counts that it needs. */
struct sh_term {
	uint64_t tf;     /* occurrences in the document, >= 1 */
	uint64_t tokens; /* occurrences of all features of the document, >= tf */
	uint64_t df;     /* documents that have the feature, 1 .. docs */
	uint64_t docs;   /* all documents; 0: `idf` is given, and df is ignored */
	int64_t idf;     /* millionths */
};

/* idf is ln(docs / df), or given.
 *
 *     set     1              tf      tf              freq    tf / tokens
 *     log     1 + ln(tf)     tfidf   tf * idf        logidf  (1 + ln(tf)) * idf
 *
 * With a given idf, tfidf is exact, and logidf is as exact as sh_ln(). */
struct sh_scheme {
	const char *name;
	bool needs_df;
	bool needs_tokens;
	/* The weight of tf occurrences is tf times that of one occurrence, which is 1: each
	 * occurrence may be added by itself. */
	bool additive;
	/* tf must be a whole number: other sums of weights have no such weight. When false, every sum has a
	 * weight: 1 for set, the sum for tf. */
	bool needs_count;
	bool flat; /* the weight is 1 for any tf */
	/* Stores the weight in millionths. SH_ERR_RANGE: it exceeds an int64_t. SH_ERR_PARAM: df
	 * is 0 or exceeds docs, or tf is 0 or exceeds tokens. */
	int (*weigh)(const struct sh_term *t, int64_t *weight, struct sh_error *err);
};

/* Returns the weight of this name, or NULL. */
const struct sh_scheme *sh_scheme_find(const char *name);

/* Returns row i, for lists of names; NULL after the last. */
const struct sh_scheme *sh_scheme_at(unsigned i);

#endif
