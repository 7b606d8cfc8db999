/* Adds words to an open dictionary.
 *
 * The first word copies the trie into memory, which needs some milliseconds and 25 MB. When the place of a
 * new node is in use, one of the two parents moves its children elsewhere: the one with fewer children. The
 * trie stays a double array, as segment/jieba_dict.h describes it. */
#ifndef SH_SEGMENT_JIEBA_GROW_H
#define SH_SEGMENT_JIEBA_GROW_H

#include "segment/jieba_dict.h"

/* Sets the frequency of a word of n >= 1 codes. Frequency 0: the key stays in the trie, but is not a
 * word. split: set SH_FREQ_SPLIT. The caller updates the total in the header. */
int sh_jieba_put(struct sh_jieba *j, const uint32_t *codes, size_t n, uint64_t freq, bool split,
    struct sh_error *err);

#endif
