/* A sample of a set of features: the features with the least hashes (bottom-k sketch, Broder 1997). Two
 * sets sample their common features in the same way, so similar sets have similar samples. */
#ifndef SH_FP_BOTTOM_H
#define SH_FP_BOTTOM_H

#include <stddef.h>
#include <stdint.h>

/* Writes the smallest of the n hashes to least[]: ascending, each once, at most `most` of them (1 or more). Returns
 * how many it wrote: less than `most` only when there are fewer distinct hashes. The hashes may be repeated. It is
 * fast only when they are evenly distributed. */
size_t sh_bottom(const uint64_t *hash, size_t n, size_t most, uint64_t *least);

#endif
