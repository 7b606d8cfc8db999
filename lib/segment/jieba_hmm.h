/* jieba's hidden Markov model: where words begin and end in a run of Han characters
 * that the dictionary does not know as words.
 *
 * Viterbi's algorithm over the states B(egin), M(iddle), E(nd), S(ingle), with
 * jieba's arithmetic (order of additions, -3.14e100 for what never occurs, the larger
 * letter on a tie), so that the path is the same bit for bit. */
#ifndef SH_SEGMENT_JIEBA_HMM_H
#define SH_SEGMENT_JIEBA_HMM_H

#include "segment/jieba_dict.h"

/* The model's stand-in for log 0. */
#define SH_HMM_NEVER (-3.14e100)

/* State of each of n >= 1 Han codes into path[]; the log probability of the path. */
double sh_hmm_path(const struct sh_jieba *j, const uint16_t *han_codes, size_t n, uint8_t *path);

#endif
