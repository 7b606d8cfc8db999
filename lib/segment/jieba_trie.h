/* SPDX-License-Identifier: MIT */
/* The steps of jieba's dictionary: routes of text through it, words added to its trie. */
#ifndef SH_SEGMENT_JIEBA_TRIE_H
#define SH_SEGMENT_JIEBA_TRIE_H

#include "segment/jieba_dict.h"

/* ---- jieba_route.c ---- */

/* Finds the route, the most probable sequence of dictionary words: jieba's get_DAG() and calc();
 * and splits Han characters into words without the dictionary, by jieba's hidden Markov model.
 *
 * A row is an array of codes: stretches of class K, and gaps between the stretches. */

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

/* ---- jieba_trie.c ---- */

/* Builds the double-array trie of a dictionary from all its words, and adds words to it.
 *
 * The bases of nodes are chosen in the order of their depths, then of their codes: nodes with many
 * children mostly come first, while large free areas exist, and frequent nodes lie together. Nearly
 * all nodes are used. */

struct sh_trie_word {
	size_t at;      /* index of the first code in the pool */
	uint32_t n;     /* number of codes, at least 1 */
	uint32_t order; /* of words with equal codes, the word of the greatest order is used */
	uint64_t freq;  /* without SH_FREQ_SPLIT */
};

/* Sorts the words and builds *n_nodes nodes and their frequencies. The caller frees both. */
int sh_trie_build(struct sh_trie_word *words, size_t n, const uint32_t *pool,
    struct sh_jieba_node **nodes, uint64_t **freq, uint32_t *n_nodes, struct sh_error *err);

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
