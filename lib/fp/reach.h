/* The Hamming distances of fingerprints of documents with a given Jaccard similarity.
 *
 * Two documents of similarity J differ in each bit of a fingerprint with probability
 *
 *     minwise:  (1 - J) / 2                       (Li, König 2010)
 *     SimHash:  acos(2 J / (1 + J)) / pi          (Charikar 2002), for sets of one size
 *
 * Bits are assumed to be independent: the distance has a binomial distribution. */
#ifndef SH_FP_REACH_H
#define SH_FP_REACH_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the expected share, 0 to 1, of pairs whose distance is at most k bits, among pairs of
 * this similarity (millionths). */
double sh_reach(unsigned bits, bool minhash, uint64_t similarity, unsigned k);

#define SH_REACH_WANTED 0.945 /* 95 %, when rounded to whole percents */

/* The range of similarities, in millionths, for which a distance is computed. For
 * higher similarities a smaller distance saves almost nothing. For lower similarities
 * most candidates are random. */
enum { SH_REACH_HIGHEST = 800000, SH_REACH_LOWEST = 500000 };

/* Returns the least distance k, in bits, at which sh_reach() is at least SH_REACH_WANTED. A
 * similarity (millionths) outside of the range counts as the nearer end of the range. */
unsigned sh_reach_distance(unsigned bits, bool minhash, uint64_t similarity);

#endif
