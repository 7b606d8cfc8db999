/* How alike two documents are, exactly:
 *
 *     jaccard      |A and B| / |A or B|              of their sets of features
 *     containment  |A and B| / min(|A|, |B|)         of these
 *     containment1 |A and B| / |A|                   of these
 *     containment2 |A and B| / |B|                   of these
 *     cosine       sum(a b) / sqrt(sum(a^2) sum(b^2))  of the weights of these
 *     edit         1 - distance / max(n, m)          of their n and m tokens, see align.h
 *     any          jaccard, or edit where jaccard does not reach its threshold
 *
 * A similarity is kept as num / sqrt(a * b) in integers and compared as such, so no rounding
 * decides about a pair. A document without features has similarity 0 to everything. */
#ifndef SH_GROUP_MEASURE_H
#define SH_GROUP_MEASURE_H

#include "base/wide.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sh_similarity {
	struct sh_wide num, a, b; /* num^2 <= a * b; below 2^85 */
	bool reaches;             /* set by sh_verify(): it is at least the threshold */
};

/* A set with what measures need of it. Weights are whole numbers below 2^32: counts, or
 * millionths of logarithms. */
struct sh_weighed_set {
	const uint64_t *hash;   /* distinct, ascending */
	const uint64_t *weight; /* of each; only looked at when the measure weighs */
	size_t n;
	struct sh_wide squares; /* sum of the squared weights */
};

struct sh_measure {
	const char *name;
	bool weighs;  /* compares weights, too */
	bool ordered; /* compares tokens in their order: compare() is NULL */
	bool any;     /* two measures in turn: compare() is NULL */
	bool
	    duplicates; /* tells duplicates: high only where neither document has much of its own */
	void (*compare)(const struct sh_weighed_set *x, const struct sh_weighed_set *y,
	    struct sh_similarity *s);
};

/* The measure of this name, or NULL. */
const struct sh_measure *sh_measure_find(const char *name);
/* All measures, one after the other; NULL behind the last. */
const struct sh_measure *sh_measure_at(size_t i);

/* Whether a quarter of the sets tells that their Jaccard similarity is below the threshold (millionths). False
 * where it takes more to tell. */
bool sh_jaccard_is_below(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, uint64_t threshold);

/* Whether the similarity is at least p / q; q > 0, both at most 2^21. */
bool sh_similarity_reaches(const struct sh_similarity *s, uint64_t p, uint64_t q);

/* In ten thousandths, rounded to the nearest, halves up. */
unsigned sh_similarity_round(const struct sh_similarity *s);

/* "0.8125": always four decimals, 6 bytes, no final NUL. */
enum { SH_SIMILARITY_CHARS = 6 };
void sh_similarity_print(char *to, unsigned ten_thousandths);

#endif
