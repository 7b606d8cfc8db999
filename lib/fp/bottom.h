/* A sample of a set of features: the features with the least hashes (bottom-k sketch, Broder 1997). Two
 * sets sample their common features in the same way, so similar sets have similar samples. */
#ifndef SH_FP_BOTTOM_H
#define SH_FP_BOTTOM_H

#include <stddef.h>
#include <stdint.h>

/* Fills least[] with the `most` least of n hashes, distinct and ascending; most >= 1. Returns their number,
 * which is less than `most` when the set is smaller. The hashes must be evenly distributed, and may be
 * repeated. */
size_t sh_bottom(const uint64_t *hash, size_t n, size_t most, uint64_t *least);

#endif
