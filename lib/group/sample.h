/* Draws a random sample of the pairs at each distance, by a seed. The sample does not depend on the
 * order of the pairs. */
#ifndef SH_GROUP_SAMPLE_H
#define SH_GROUP_SAMPLE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct sh_sampled {
	uint64_t key; /* the least are kept */
	uint32_t a, b;
	unsigned similarity; /* in ten thousandths */
};

struct sh_sample {
	uint64_t seed;
	size_t per_distance;
	unsigned distances;
	struct sh_sampled *pair; /* of distance d from d * per_distance on */
	size_t *n;               /* of each distance */
};

/* Distances 0 .. distances-1. */
int sh_sample_init(struct sh_sample *s, uint64_t seed, size_t per_distance, unsigned distances,
    struct sh_error *err);
void sh_sample_free(struct sh_sample *s);

void sh_sample_add(
    struct sh_sample *s, uint32_t a, uint32_t b, unsigned distance, unsigned similarity);

/* Orders the pairs of each distance by similarity, then by number. Call it after the last pair. */
void sh_sample_sort(struct sh_sample *s);

#endif
