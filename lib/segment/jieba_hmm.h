/* jieba's hidden Markov model: finds words in a sequence of Han characters that the dictionary does not
 * have.
 *
 * Viterbi's algorithm on the states B(egin), M(iddle), E(nd) and S(ingle). Arithmetic is that of jieba
 * (order of additions, -3.14e100 for log 0, the larger letter on a tie), so that the path is the same
 * bit for bit. */
#ifndef SH_SEGMENT_JIEBA_HMM_H
#define SH_SEGMENT_JIEBA_HMM_H

#include "segment/jieba_dict.h"

/* The model's value for log 0. */
#define SH_HMM_NEVER (-3.14e100)

/* Writes the state of each of n >= 1 Han codes to path[]. Returns the log probability of the path. */
double sh_hmm_path(const struct sh_jieba *j, const uint16_t *han_codes, size_t n, uint8_t *path);

#endif
