/* Finds the most probable sequence of words, the route: jieba's get_DAG() and calc().
 *
 * A row of codes has stretches of class K, and gaps between them. */
#ifndef SH_SEGMENT_JIEBA_ROUTE_H
#define SH_SEGMENT_JIEBA_ROUTE_H

#include "segment/jieba_dict.h"

/* Writes to step[] the length of the word of the best route that starts at each of n codes; 0 for a gap.
 * code[n] must be a gap. ring[] is scratch for mask + 1 doubles, which is a power of two and larger than
 * the longest word. Returns the log probability of the route through the first stretch. */
double sh_jieba_route(const struct sh_jieba *j, const uint16_t *code, size_t n, uint16_t *step,
    double *ring, size_t mask);

/* Writes the lengths of all words that start at code[0], ascending; at most max_len of them. If there is
 * none, writes 1, for the character alone. Returns their number. */
size_t sh_jieba_edges(const struct sh_jieba *j, const uint16_t *code, size_t n, uint16_t *lengths);

#endif
