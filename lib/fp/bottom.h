/* A sample of a set of features: the features with the least hashes (bottom-k sketch, Broder 1997).
 * Two sets sample their common features in the same way, so similar sets have similar samples. */
#ifndef SH_FP_BOTTOM_H
#define SH_FP_BOTTOM_H

#include <stddef.h>
#include <stdint.h>

/* Writes the `most` smallest distinct hashes of n hashes to least[], ascending; most >= 1. Returns
 * the number of hashes written, which is less than `most` only when there are fewer distinct
 * hashes. Fast only for evenly distributed hashes. */
size_t sh_bottom(const uint64_t *hash, size_t n, size_t most, uint64_t *least);

#endif
