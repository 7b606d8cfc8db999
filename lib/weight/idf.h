/* A table of inverse document frequencies that somebody else computed: lines of a
 * feature, one TAB or blank, and a decimal number (jieba's idf.txt is one), or empty ones. */
#ifndef SH_WEIGHT_IDF_H
#define SH_WEIGHT_IDF_H

#include "base/hmap.h"

struct sh_idf_table {
	struct sh_hmap features;
	int64_t *idf; /* millionths, by index */
	size_t cap;
	/* What a feature may get that the table lacks: element n/2 of the sorted values. */
	int64_t median;
	/* The same as the nearest doubles, for systems whose fingerprints depend on them, with
	 * the mean of all lines, summed up in their order, instead of the median. */
	double *real;
	double real_mean;
	size_t real_cap;
	uint64_t lines;
	bool ill_formed; /* a feature is no UTF-8: most texts have none such */
};

/* t is to be freed also after a failure. Values are rounded to millionths, halves up. */
int sh_idf_table_load(struct sh_idf_table *t, const char *name, struct sh_error *err);
void sh_idf_table_free(struct sh_idf_table *t);

/* The feature's value, or `absent`. */
int64_t sh_idf_lookup(const struct sh_idf_table *t, struct sh_slice feature, int64_t absent);
double sh_idf_real(const struct sh_idf_table *t, struct sh_slice feature, double absent);

#endif
