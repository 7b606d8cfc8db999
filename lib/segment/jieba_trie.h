/* Building the dictionary's double-array trie out of all words at once.
 *
 * Nodes with many children are placed first, while there is room, then those with
 * few fill the holes; among equals the more frequent come first, so that what a text
 * touches lies together. Free nodes are bits, tried 64 at a time: jieba's 349,046 words
 * take about a second, and hardly a node is left unused. */
#ifndef SH_SEGMENT_JIEBA_TRIE_H
#define SH_SEGMENT_JIEBA_TRIE_H

#include "segment/jieba_dict.h"

struct sh_trie_word {
	size_t at;   /* of its first code in the pool */
	uint32_t n;  /* codes, >= 1 */
	uint32_t no; /* a later word with the same codes overrules an earlier one */
	uint64_t freq;
};

/* Sorts the words. *nodes and *freq are the caller's to free; n_nodes of each. */
int sh_trie_build(struct sh_trie_word *words, size_t n, const uint32_t *pool,
    struct sh_jieba_node **nodes, uint64_t **freq, uint32_t *n_nodes, struct sh_error *err);

/* The logarithm that stands at a node for a frequency. */
double sh_jieba_log(uint64_t freq);

#endif
