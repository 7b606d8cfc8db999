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
#include "base/hmap.h"
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
	bool flat;        /* the weight is 1 for any tf */
	/* Stores the weight in millionths. SH_ERR_RANGE: the weight exceeds an int64_t.
	 * SH_ERR_PARAM: df is 0 or exceeds docs, tf is 0 or exceeds tokens, or idf is negative. */
	int (*weigh)(const struct sh_term *t, int64_t *weight, struct sh_error *err);
};

/* Returns the scheme of this name, or NULL. */
const struct sh_scheme *sh_scheme_find(const char *name);

/* Returns scheme i, from 0; NULL after the last. */
const struct sh_scheme *sh_scheme_at(unsigned i);

/* A table of inverse document frequencies made by another program. A line is a feature, one TAB or
 * space, and a decimal number, as in jieba's idf.txt; or the line is empty. */

struct sh_idf_table {
	struct sh_hmap features;
	int64_t *idf; /* millionths, by index of features */
	size_t cap;
	int64_t median; /* element n/2 of the n sorted values, for features that the table lacks */

	/* For systems whose fingerprints depend on doubles: */
	double *real;     /* the nearest double of each value, by index of features */
	double real_mean; /* their sum over all lines, in order, / lines: replaces the median */
	size_t real_cap;
	uint64_t lines;  /* with repeated features and empty lines */
	bool ill_formed; /* a feature is not UTF-8: most texts cannot have it */
};

/* Initialises t from a file. Rounds values to millionths, halves up. The last line of a repeated
 * feature is used. Free t also after a failure. */
int sh_idf_table_load(struct sh_idf_table *t, const char *name, struct sh_error *err);
void sh_idf_table_free(struct sh_idf_table *t);

/* Returns the value of a feature, or `absent`. */
int64_t sh_idf_lookup(const struct sh_idf_table *t, struct sh_slice feature, int64_t absent);
double sh_idf_real(const struct sh_idf_table *t, struct sh_slice feature, double absent);

#endif
