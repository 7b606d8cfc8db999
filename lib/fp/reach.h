/* Which distance of fingerprints belongs to which Jaccard similarity of documents.
 *
 * Two documents of similarity J differ in each bit of a fingerprint with the chance
 *
 *     minwise:  (1 - J) / 2                       (Li, König 2010)
 *     SimHash:  acos(2 J / (1 + J)) / pi          (Charikar 2002), for sets of one size
 *
 * Bits are taken for independent: the distance follows the binomial distribution. */
#ifndef SH_FP_REACH_H
#define SH_FP_REACH_H

#include <stdbool.h>
#include <stdint.h>

/* The share of the pairs of one similarity (in millionths) that lie within distance k. */
double sh_reach(unsigned bits, bool minhash, uint64_t similarity, unsigned k);

#define SH_REACH_WANTED 0.945 /* 95 % when rounded to whole percents */

/* Similarities whose distance is computed, in millionths. Above the highest a smaller distance saves
 * next to nothing. Below the lowest most candidates are chance. */
enum { SH_REACH_HIGHEST = 800000, SH_REACH_LOWEST = 500000 };

/* The least distance within which SH_REACH_WANTED of the pairs of this similarity lie. A similarity
 * beyond the highest or the lowest counts as that. */
unsigned sh_reach_distance(unsigned bits, bool minhash, uint64_t similarity);

#endif
