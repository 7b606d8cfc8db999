/* 1-bit MinHash fingerprints. Their Hamming distance estimates the Jaccard similarity of two sets of
 * features, J = |A and B| / |A or B|. Weights are ignored.
 *
 *     J is about 1 - 2 d / b,   standard error sqrt((1 - J^2) / b),
 *
 * for a distance d between fingerprints of b bits; an estimate below 0 is 0. The standard error at J = 0.8
 * is 0.075 for 64 bits, 0.037 for 256, 0.019 for 1024.
 *
 * Each bit is the last bit of the smallest hash in one of b bins (b-bit minwise hashing, Li, König 2010).
 * The bins are filled as in Dahlgaard, Knudsen, Thorup, "Fast similarity sketching" (FOCS 2017), which
 * needs O(n + b log b) hashes instead of n * b for the same error:
 *
 *     In round r = 0, 1, ... b-1 a feature of hash h has x = sh_mix_word(h, r + 1). It puts the value
 *     (r, last 48 bits of x) into bin ((x >> 32) * b) >> 32.
 *     For each bin j that is empty after these rounds, x = sh_mix_word(h, b + j + 1) of all features.
 *
 * A bin keeps its smallest value. The rounds end when no bin is empty. Order and repetition of the hashes
 * do not matter. The values in t/vectors/minhash.tsv keep the function from changing. */
#ifndef SH_FP_MINHASH_H
#define SH_FP_MINHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/fingerprint.h"

/* Returns whether bits is a multiple of 64 up to SH_FP_MAX_BITS. */
static inline bool sh_minhash_width_ok(unsigned bits)
{
	return bits >= 64 && bits <= SH_FP_MAX_BITS && bits % 64 == 0;
}

/* Writes the smallest value of each of `bins` bins for n >= 1 features. A bin holds the same value for
 * two sets of similarity J with probability J. At most SH_FP_MAX_BITS bins. */
void sh_minhash_bins(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin);

/* Writes the fingerprint of a set by its values in `bits` bins. */
void sh_minhash_bits(const uint64_t *bin, unsigned bits, uint64_t *out);

/* Writes the fingerprint of n >= 1 features, given by the first words of their hashes. */
void sh_minhash(const uint64_t *h, size_t n, unsigned bits, uint64_t *out);

#endif
