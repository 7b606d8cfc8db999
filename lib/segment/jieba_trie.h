/* Builds the double-array trie of a dictionary from all its words.
 *
 * Nodes with many children are placed first, while there is room; nodes with few children fill the gaps. Of
 * nodes with the same number of children, more frequent ones come first, so that frequent nodes lie
 * together. 64 places are tried at a time: jieba's 349,046 words need about a second, and nearly all nodes
 * are used. */
#ifndef SH_SEGMENT_JIEBA_TRIE_H
#define SH_SEGMENT_JIEBA_TRIE_H

#include "segment/jieba_dict.h"

struct sh_trie_word {
	size_t at;   /* index of its first code in the pool */
	uint32_t n;  /* number of codes, at least 1 */
	uint32_t no; /* of words with the same codes, the word with the greatest number is used */
	uint64_t freq;
};

/* Sorts the words and builds *n_nodes nodes and frequencies. The caller frees *nodes and *freq. */
int sh_trie_build(struct sh_trie_word *words, size_t n, const uint32_t *pool,
    struct sh_jieba_node **nodes, uint64_t **freq, uint32_t *n_nodes, struct sh_error *err);

/* Returns the value of log_freq for a frequency. */
double sh_jieba_log(uint64_t freq);

#endif
