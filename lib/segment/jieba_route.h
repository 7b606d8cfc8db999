/* SPDX-License-Identifier: MIT */
/* Finds the route, the most probable sequence of dictionary words: jieba's get_DAG() and calc();
 * and splits Han characters into words without the dictionary, by jieba's hidden Markov model.
 *
 * A row is an array of codes: stretches of class K, and gaps between the stretches. */
#ifndef SH_SEGMENT_JIEBA_ROUTE_H
#define SH_SEGMENT_JIEBA_ROUTE_H

#include "segment/jieba_dict.h"

/* Sets step[i], for each of n codes, to the length in codes of the word at code[i] on the route
 * from there to the stretch's end; 0 for a gap. code[n] must be a gap. ring[] is scratch for mask +
 * 1 doubles, a power of two greater than max_len. Returns the natural log of the probability of the
 * route from code[0]; 0 when code[0] is a gap. */
double sh_jieba_route(const struct sh_jieba *j, const uint16_t *code, size_t n, uint16_t *step,
    double *ring, size_t mask);

/* Writes the lengths in codes, ascending, of all words of at most n codes that start at code[0].
 * Writes 1 when there is no word. Returns the number of lengths: at least 1, at most max_len. */
size_t sh_jieba_edges(const struct sh_jieba *j, const uint16_t *code, size_t n, uint16_t *lengths);

/* ---- the model ----
 *
 * Viterbi's algorithm finds the state of each character: B(egin), M(iddle), E(nd) or S(ingle). The
 * order of additions, the value for log 0 and the tie-break are jieba's, and so is the path. */

/* The model's value for log 0. */
#define SH_HMM_NEVER (-3.14e100)

/* Writes the state, SH_HMM_*, of each of n >= 1 Han characters to path[]. code[i] is at least
 * SH_CODE_HAN and below SH_CODE_GAP. Returns the natural log of the path's probability. */
double sh_hmm_path(const struct sh_jieba *j, const uint16_t *code, size_t n, uint8_t *path);

#endif
