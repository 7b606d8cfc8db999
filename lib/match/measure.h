/* SPDX-License-Identifier: MIT */
/* Computes the similarity of two documents, exactly:
 *
 *     jaccard      |A and B| / |A or B|                of the feature sets A and B
 *     containment  |A and B| / min(|A|, |B|)           of the feature sets
 *     containment1 |A and B| / |A|                     of the feature sets
 *     containment2 |A and B| / |B|                     of the feature sets
 *     cosine       sum(a b) / sqrt(sum(a^2) sum(b^2))  of the features' weights a and b
 *     edit         1 - distance / max(n, m)            of n and m tokens, see align.h
 *     any          jaccard when it reaches its threshold, otherwise edit
 *
 * A similarity is stored as num / sqrt(a * b) in integers and compared in this form, so no rounding
 * decides about a pair. A document without features has similarity 0 to each document. */
#ifndef SH_MATCH_MEASURE_H
#define SH_MATCH_MEASURE_H

#include "base/wide.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sh_similarity {
	struct sh_wide num, a, b; /* num^2 <= a * b; below 2^85 */
};

/* A feature set with its weights. Weights are whole numbers below 2^32: counts, or millionths of
 * logarithms. */
struct sh_weighed_set {
	const uint64_t *hash;   /* distinct, ascending */
	const uint64_t *weight; /* by feature; used only when the measure weighs */
	size_t n;
	struct sh_wide squares; /* sum of the squared weights */
};

struct sh_measure {
	const char *name;
	bool weighs;  /* compares weights, too */
	bool ordered; /* compares tokens in their order; compare() is NULL */
	bool any;     /* uses two measures in turn; compare() is NULL */
	/* suits duplicates: the similarity is high only when the texts share most of both */
	bool duplicates;
	void (*compare)(const struct sh_weighed_set *x, const struct sh_weighed_set *y,
	    struct sh_similarity *s);
};

/* Returns the measure of this name, or NULL. */
const struct sh_measure *sh_measure_find(const char *name);
/* Returns measure i, from 0; NULL after the last one. */
const struct sh_measure *sh_measure_at(size_t i);

/* Returns the number of common features. When it is less than `least`, the result may be lower. */
size_t sh_sets_share(const struct sh_weighed_set *x, const struct sh_weighed_set *y, size_t least);

/* Returns the least number of common features with which sets of n and m features have a Jaccard
 * similarity of at least the threshold, in millionths. */
size_t sh_jaccard_common(size_t n, size_t m, uint64_t threshold);

/* Returns whether the similarity is at least p / q; q > 0, both at most 2^21. */
bool sh_similarity_reaches(const struct sh_similarity *s, uint64_t p, uint64_t q);

/* Returns the similarity in ten thousandths, rounded to the nearest, halves up. */
unsigned sh_similarity_round(const struct sh_similarity *s);

/* Prints a similarity as "0.8125": always four decimals, 6 bytes, no final NUL. */
enum { SH_SIMILARITY_CHARS = 6 };
void sh_similarity_print(char *to, unsigned ten_thousandths);

#endif
