/* SPDX-License-Identifier: MIT */
/* A table of inverse document frequencies made by another program. A line is a feature, one TAB or
 * space, and a decimal number, as in jieba's idf.txt; or the line is empty. */
#ifndef SH_WEIGHT_IDF_H
#define SH_WEIGHT_IDF_H

#include "base/hmap.h"

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
