/* How alike two sets of features are, exactly: jaccard |A∩B| / |A∪B|, containment
 * |A∩B| / min(|A|,|B|), cosine Σ a b / sqrt(Σ a² Σ b²) over the weights of features.
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
	struct sh_wide num, a, b; /* num² <= a * b; below 2^85 */
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
	bool weighs;
	void (*compare)(const struct sh_weighed_set *x, const struct sh_weighed_set *y,
	    struct sh_similarity *s);
};

/* jaccard, containment, cosine; NULL when there is none of that name. */
const struct sh_measure *sh_measure_find(const char *name);

/* Whether the similarity is at least p / q; q > 0, both at most 2^21. */
bool sh_similarity_reaches(const struct sh_similarity *s, uint64_t p, uint64_t q);

/* In ten thousandths, rounded to the nearest, halves up. */
unsigned sh_similarity_round(const struct sh_similarity *s);

/* "0.8125": always four decimals, 6 bytes, no final NUL. */
enum { SH_SIMILARITY_CHARS = 6 };
void sh_similarity_print(char *to, unsigned ten_thousandths);

#endif
