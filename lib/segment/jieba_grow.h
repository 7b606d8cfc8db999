/* Adding words to an open dictionary.
 *
 * The first one copies the trie into memory (some milliseconds, some 25 MB), where it
 * then grows: a child that finds its place taken makes the smaller of the two families
 * concerned move. Readers see the same double array as before. */
#ifndef SH_SEGMENT_JIEBA_GROW_H
#define SH_SEGMENT_JIEBA_GROW_H

#include "segment/jieba_dict.h"

/* Give a word of n >= 1 codes that frequency; 0 keeps the key, as no word, and split
 * sets SH_FREQ_SPLIT. The header's total is the caller's business. */
int sh_jieba_put(struct sh_jieba *j, const uint32_t *codes, size_t n, uint64_t freq, bool split,
    struct sh_error *err);

void sh_jieba_own_delete(struct sh_jieba_own *own);

#endif
