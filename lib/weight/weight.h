/* SPDX-License-Identifier: MIT */
/* Weights of features from their counts, in integers.
 *
 * Weights are millionths (base/num.h). Logarithms are natural and computed in fixed point, so that
 * no libm, compiler or processor changes a bit of a fingerprint. A weight is rounded once, to the
 * nearest millionth, halves up. */
#ifndef SH_WEIGHT_WEIGHT_H
#define SH_WEIGHT_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/num.h"

#define SH_LN_BITS 56

/* Returns ln(x) * 2^SH_LN_BITS for x >= 1. ln(x) is within 2^-54 of the true value. */
uint64_t sh_ln(uint64_t x);

/* The counts of a feature in a document. A scheme reads only the counts that it needs. */
struct sh_term {
	uint64_t tf;     /* occurrences in the document, at least 1 */
	uint64_t tokens; /* sum of tf over all features of the document */
	uint64_t df;     /* documents that have the feature, 1 .. docs */
	uint64_t docs;   /* all documents; 0: idf is given, and df is ignored */
	int64_t idf;     /* millionths */
};

/* A scheme computes a weight. idf is ln(docs / df), or given.
 *
 *     set     1              tf      tf              freq    tf / tokens
 *     log     1 + ln(tf)     tfidf   tf * idf        logidf  (1 + ln(tf)) * idf
 *
 * With a given idf, tfidf is exact, and logidf is as exact as sh_ln(). */
struct sh_scheme {
	const char *name;
	bool needs_df;
	bool needs_tokens;
	bool additive;    /* the weight is tf: occurrences may be added one by one, each with 1 */
	bool needs_count; /* tf must be a whole number; otherwise it may be any sum of weights */
	/* Stores the weight in millionths. SH_ERR_RANGE: the weight exceeds an int64_t.
	 * SH_ERR_PARAM: df is 0 or exceeds docs, tf is 0 or exceeds tokens, or idf is negative. */
	int (*weigh)(const struct sh_term *t, int64_t *weight, struct sh_error *err);
};

/* Returns the scheme of this name, or NULL. */
const struct sh_scheme *sh_scheme_find(const char *name);

/* Returns scheme i, from 0; NULL after the last. */
const struct sh_scheme *sh_scheme_at(unsigned i);

#endif
