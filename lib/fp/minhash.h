/* SPDX-License-Identifier: MIT */
/* Minwise values of a set of features. Weights are ignored.
 *
 * Two sets A and B have equal values in a bin with probability J = |A and B| / |A or B|, their
 * Jaccard similarity (Broder 1997). The bins are filled as in Dahlgaard, Knudsen, Thorup, "Fast
 * similarity sketching" (FOCS 2017), which needs O(n + b log b) hashes for b bins instead of n * b:
 *
 *     In round r = 0, 1, ... b-1, for each feature of hash h, x = sh_mix_word(h, r + 1). Bin
 *     ((x >> 32) * b) >> 32 gets the value r * 2^48 + the last 48 bits of x.
 *     The rounds end when no bin is empty.
 *     A bin j that is empty after round b-1 gets, for each feature, the last 48 bits of
 *     sh_mix_word(h, b + j + 1).
 *
 * A bin keeps its smallest value. Order and repetition of the hashes do not matter. The function
 * never changes: t/vectors/minhash.tsv has its values. */
#ifndef SH_FP_MINHASH_H
#define SH_FP_MINHASH_H

#include <stddef.h>
#include <stdint.h>

#include "record/fingerprint.h"

/* Writes the smallest value of each of `bins` bins, 1 to SH_FP_MAX_BITS, for n >= 1 features. h:
 * word 0 of their hashes. */
void sh_minhash_bins(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin);

#endif
