/* A table of inverse document frequencies made by another program. Each line has a feature, one
 * TAB or blank, and a decimal number, as in jieba's idf.txt; or it is empty. */
#ifndef SH_WEIGHT_IDF_H
#define SH_WEIGHT_IDF_H

#include "base/hmap.h"

struct sh_idf_table {
	struct sh_hmap features;
	int64_t *idf; /* millionths, by index */
	size_t cap;
	/* For a feature that the table lacks: element n/2 of the sorted values. */
	int64_t median;
	/* The values as the nearest doubles, for systems whose fingerprints depend on them.
	 * real_mean is the mean of all lines, summed in their order; such systems use it instead
	 * of the median. */
	double *real;
	double real_mean;
	size_t real_cap;
	uint64_t lines;
	bool ill_formed; /* a feature is not UTF-8, so most texts cannot have it */
};

/* Loads a table. Values are rounded to millionths, halves up. Free t also after a failure. */
int sh_idf_table_load(struct sh_idf_table *t, const char *name, struct sh_error *err);
void sh_idf_table_free(struct sh_idf_table *t);

/* Returns the value of a feature, or `absent`. */
int64_t sh_idf_lookup(const struct sh_idf_table *t, struct sh_slice feature, int64_t absent);
double sh_idf_real(const struct sh_idf_table *t, struct sh_slice feature, double absent);

#endif
