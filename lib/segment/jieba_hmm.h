/* SPDX-License-Identifier: MIT */
/* jieba's hidden Markov model: splits Han characters into words without the dictionary.
 *
 * Viterbi's algorithm finds the state of each character: B(egin), M(iddle), E(nd) or S(ingle). The
 * order of additions, the value for log 0 and the tie-break are jieba's, and so is the path. */
#ifndef SH_SEGMENT_JIEBA_HMM_H
#define SH_SEGMENT_JIEBA_HMM_H

#include "segment/jieba_dict.h"

/* The model's value for log 0. */
#define SH_HMM_NEVER (-3.14e100)

/* Writes the state, SH_HMM_*, of each of n >= 1 Han characters to path[]. code[i] is at least
 * SH_CODE_HAN and below SH_CODE_GAP. Returns the natural log of the path's probability. */
double sh_hmm_path(const struct sh_jieba *j, const uint16_t *code, size_t n, uint8_t *path);

#endif
