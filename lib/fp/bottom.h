/* A sample of a set of features: those of the least hashes (bottom-k sketch, Broder 1997). Two sets
 * sample their common features alike, so similar sets have similar samples. */
#ifndef SH_FP_BOTTOM_H
#define SH_FP_BOTTOM_H

#include <stddef.h>
#include <stdint.h>

/* Fills in the `most` least of n hashes, distinct and ascending, most >= 1. Returns how many there are: fewer
 * than `most` where the set has fewer. The hashes are spread evenly, but may be repeated. */
size_t sh_bottom(const uint64_t *hash, size_t n, size_t most, uint64_t *least);

#endif
