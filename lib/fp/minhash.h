/* 1-bit minwise fingerprints: their Hamming distance estimates the Jaccard similarity of two
 * sets of features, J = |A and B| / |A or B|, whatever the features weigh.
 *
 *     J is about 1 - 2 d / b,   standard error sqrt((1 - J^2) / b),
 *
 * for a distance d between fingerprints of b bits (below 0: 0). So at J = 0.8 it is 0.075
 * with 64 bits, 0.037 with 256, 0.019 with 1024.
 *
 * Each bit is the last bit of the smallest hash in one of b bins (b-bit minwise hashing,
 * Li, König 2010). The bins are filled by Dahlgaard, Knudsen, Thorup, "Fast similarity
 * sketching" (FOCS 2017), which has the error of b independent permutations for O(n + b log b)
 * hashes instead of n * b:
 *
 *     in round r = 0, 1, ... b-1 the feature of hash h has x = sh_mix_word(h, r + 1),
 *     bin ((x >> 32) * b) >> 32, and value (r, last 48 bits of x);
 *     for a bin j that is still empty then, x = sh_mix_word(h, b + j + 1) of each feature
 *
 * where the smallest value in a bin counts, and rounds end as soon as no bin is empty. The
 * fingerprint is a function of the set of hashes: neither order nor repetition matters. Frozen
 * by t/vectors/minhash.tsv. */
#ifndef SH_FP_MINHASH_H
#define SH_FP_MINHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/fingerprint.h"

/* 64, 128, ... SH_FP_MAX_BITS */
static inline bool sh_minhash_width_ok(unsigned bits)
{
	return bits >= 64 && bits <= SH_FP_MAX_BITS && bits % 64 == 0;
}

/* The smallest value in each of `bins` bins, of n >= 1 features: of two sets of similarity J a
 * bin holds the same value with the chance J. At most SH_FP_MAX_BITS bins. */
void sh_minhash_bins(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin);

/* The fingerprint of n >= 1 features by the first words of their hashes. */
void sh_minhash(const uint64_t *h, size_t n, unsigned bits, uint64_t *out);

#endif
