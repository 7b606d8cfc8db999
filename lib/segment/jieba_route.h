/* The most probable way through the blocks of a text: jieba's get_DAG() and calc().
 *
 * A row of codes holds blocks of class K and the gaps between them. */
#ifndef SH_SEGMENT_JIEBA_ROUTE_H
#define SH_SEGMENT_JIEBA_ROUTE_H

#include "segment/jieba_dict.h"

/* Length of the best word from each of n codes into step[], 0 for a gap. code[n] must be
 * a gap. ring[] is scratch for mask + 1 doubles, a power of two larger than the longest
 * word. Returns the log probability of the way through the first block. */
double sh_jieba_route(const struct sh_jieba *j, const uint16_t *code, size_t n, uint16_t *step,
    double *ring, size_t mask);

/* Lengths of all words that start at code[0], ascending, at most max_len of them; if
 * there is none, the character alone. The count. */
size_t sh_jieba_edges(const struct sh_jieba *j, const uint16_t *code, size_t n, uint16_t *lengths);

#endif
