/* How much a feature counts in its document: weights from counts, in integers.
 *
 * Weights are millionths (base/num.h). Logarithms are natural and computed in fixed
 * point, so that no libm, compiler or processor can change a bit of a fingerprint:
 * sh_ln() is within 2^-54 of the true value, and what it enters is rounded once, to
 * the nearest millionth, halves up. */
#ifndef SH_WEIGHT_WEIGHT_H
#define SH_WEIGHT_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/num.h"

#define SH_LN_BITS 56

/* ln(x) * 2^SH_LN_BITS; x >= 1. */
uint64_t sh_ln(uint64_t x);

/* What is known of a feature in a document. A scheme looks at what it needs. */
struct sh_term {
	uint64_t tf;     /* occurrences in the document, >= 1 */
	uint64_t tokens; /* occurrences of all features of the document, >= tf */
	uint64_t df;     /* documents that have the feature, 1 .. docs */
	uint64_t docs;   /* all documents; or 0: idf holds the value, whatever df is */
	int64_t idf;     /* millionths */
};

/* idf = ln(docs / df), or the idf that is given.
 *
 *     set     1              tf      tf              freq    tf / tokens
 *     log     1 + ln(tf)     tfidf   tf * idf        logidf  (1 + ln(tf)) * idf
 *
 * With an idf given, tfidf is exact, and so is 1 + ln(tf) in logidf up to sh_ln(). */
struct sh_scheme {
	const char *name;
	bool needs_df;
	bool needs_tokens;
	/* The weight of tf occurrences is tf times that of one, whose weight is 1: each
	 * occurrence may be added by itself. */
	bool additive;
	/* tf must be a whole number: counts that are none (sums of other weights) have no such
	 * weight. Otherwise the weight of any count follows: 1 for set, the count for tf. */
	bool needs_count;
	bool flat; /* the weight is that of one occurrence, 1, whatever tf */
	/* SH_ERR_RANGE: the weight exceeds what an int64_t of millionths holds.
	 * SH_ERR_PARAM: df is 0 or exceeds docs, tf is 0 or exceeds tokens. */
	int (*weigh)(const struct sh_term *t, int64_t *weight, struct sh_error *err);
};

/* NULL when there is none of that name. */
const struct sh_scheme *sh_scheme_find(const char *name);

/* The rows in order, for lists of names: NULL after the last. */
const struct sh_scheme *sh_scheme_at(unsigned i);

#endif
