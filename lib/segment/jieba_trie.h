/* SPDX-License-Identifier: MIT */
/* Builds the double-array trie of a dictionary from all its words, and adds words to it.
 *
 * The base of a node with many children is chosen first, while large free areas exist. Of nodes
 * with equally many children, the more frequent node comes first, so that frequent nodes lie
 * together. jieba's 349,046 words need about a second. Nearly all nodes are used. */
#ifndef SH_SEGMENT_JIEBA_TRIE_H
#define SH_SEGMENT_JIEBA_TRIE_H

#include "segment/jieba_dict.h"

struct sh_trie_word {
	size_t at;      /* index of the first code in the pool */
	uint32_t n;     /* number of codes, at least 1 */
	uint32_t order; /* of words with equal codes, the word of the greatest order is used */
	uint64_t freq;  /* without SH_FREQ_SPLIT */
};

/* Sorts the words and builds *n_nodes nodes and their frequencies. The caller frees both. */
int sh_trie_build(struct sh_trie_word *words, size_t n, const uint32_t *pool,
    struct sh_jieba_node **nodes, uint64_t **freq, uint32_t *n_nodes, struct sh_error *err);

/* Returns the natural log of a frequency; -INFINITY for 0. */
double sh_jieba_log(uint64_t freq);

/* Adds a word to an open dictionary, or sets its frequency. The first word copies the trie into
 * memory, which needs some milliseconds and 25 MB. A new node may belong at a number that is in
 * use. Then all children of the new node's parent move.
 *
 * Sets the frequency of a word of n codes (jieba_dict.h), each above 0; 1 <= n <=
 * SH_JIEBA_WORD_MAX. A word of frequency 0 keeps its node. split: sets SH_FREQ_SPLIT; otherwise
 * the flag stays as it was. Updates the header's n_split; the caller updates total, log_total and
 * max_len. The copy of the trie belongs to j. SH_ERR_RECORD: the dictionary is damaged. */
int sh_jieba_put(struct sh_jieba *j, const uint32_t *codes, size_t n, uint64_t freq, bool split,
    struct sh_error *err);

#endif
