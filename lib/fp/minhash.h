/* 1-bit MinHash fingerprints. Their Hamming distance estimates the Jaccard similarity of two sets
 * of features, J = |A and B| / |A or B|. Weights are ignored.
 *
 *     J is about 1 - 2 d / b,   standard error sqrt((1 - J^2) / b),
 *
 * for a distance d between fingerprints of b bits; an estimate below 0 is 0. The standard error at
 * J = 0.8 is 0.075 for 64 bits, 0.037 for 256, 0.019 for 1024.
 *
 * Each bit is the last bit of the smallest value in one of b bins (b-bit minwise hashing, Li, König
 * 2010). The bins are filled as in Dahlgaard, Knudsen, Thorup, "Fast similarity sketching" (FOCS
 * 2017), which needs O(n + b log b) hashes instead of n * b for the same error:
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/fingerprint.h"

/* Returns whether bits is a multiple of 64, from 64 to SH_FP_MAX_BITS. */
static inline bool sh_minhash_width_ok(unsigned bits)
{
	return bits >= 64 && bits <= SH_FP_MAX_BITS && bits % 64 == 0;
}

/* Writes the smallest value of each of `bins` bins, 1 to SH_FP_MAX_BITS, for n >= 1 features. Two
 * sets of similarity J have equal values in a bin with probability J. */
void sh_minhash_bins(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin);

/* Writes the fingerprint of n >= 1 features. h: word 0 of their hashes. */
void sh_minhash(const uint64_t *h, size_t n, unsigned bits, uint64_t *out);

#endif
