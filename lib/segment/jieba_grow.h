/* SPDX-License-Identifier: MIT */
/* Adds words to an open dictionary.
 *
 * The first word copies the trie into memory, which needs some milliseconds and 25 MB. A new node
 * may belong at a number that is in use. Then the children of one parent move: of the new node's
 * parent, or of the present node's parent, whichever has fewer children. */
#ifndef SH_SEGMENT_JIEBA_GROW_H
#define SH_SEGMENT_JIEBA_GROW_H

#include "segment/jieba_dict.h"

/* Sets the frequency of a word of n codes (jieba_dict.h), each above 0; 1 <= n <=
 * SH_JIEBA_WORD_MAX. A word of frequency 0 keeps its node. split: sets SH_FREQ_SPLIT; otherwise
 * the flag stays as it was. Updates the header's n_split; the caller updates total, log_total and
 * max_len. The copy of the trie belongs to j. SH_ERR_RECORD: the dictionary is damaged. */
int sh_jieba_put(struct sh_jieba *j, const uint32_t *codes, size_t n, uint64_t freq, bool split,
    struct sh_error *err);

#endif
