/* An index for queries: a hash table of all k-grams of the texts, and a filter before it that fits in the
 * cache. */
#ifndef SH_PASSAGE_INDEX_H
#define SH_PASSAGE_INDEX_H

#include "passage/match.h"

struct sh_index {
	const struct sh_texts *texts; /* borrowed */
	struct sh_posting *posting;   /* of the texts; by key, document, token */
	size_t n, bound;
	uint64_t *filter;
	uint32_t *slot; /* hash table: 1 + the first posting of a group; at most half full */
	unsigned filter_bits, slot_bits;
	/* enough: tokens of a sufficient match; longest: tokens of the longest k-gram; set by the caller */
	uint32_t enough, longest;
	/* Of each query: the fewest different tokens that it must share with a document. 0 at first; set by the
	 * caller. */
	uint32_t *need;
	/* number of k-grams with more than `bound` postings; only the first `bound` postings of each are read */
	uint64_t exceeding;
};

/* Builds the index. Sorts the postings of the texts. */
int sh_index_make(
    struct sh_index *x, struct sh_texts *texts, size_t bound, unsigned jobs, struct sh_error *err);
void sh_index_free(struct sh_index *x);

/* What one thread knows of the document that it looks up. Zeroed at first. */
struct sh_index_room {
	uint64_t *token; /* a bit for each token of the document, by some bits of its hash */
	size_t token_cap;
	uint32_t token_mask;
	uint32_t *verdict; /* of each query: 2 * serial, + 1 when it shares enough tokens */
	uint32_t serial;   /* of the document */
	uint32_t *gram,
	    *side; /* its k-grams that pass the filter; its tokens, numbered as in the queries */
	size_t gram_cap, side_cap;
	struct sh_span *span;
	size_t span_cap;
};

void sh_index_room_free(struct sh_index_room *room);

/* Computes the spans of a document with the queries, ordered by query, from, at. They are in the room, valid until
 * the next document. Reads at most the first `bound` postings of a k-gram. Skips a k-gram with more postings when it
 * lies inside an exact match of at least `enough` tokens that another k-gram of this kind led to. Reads fewer postings
 * after many hits, so that time and memory stay linear. Leaves out queries that share fewer tokens with the
 * document than they need. */
int sh_index_spans(const struct sh_index *x, const struct sh_seeds *seeds,
    struct sh_index_room *room, struct sh_matcher *m, struct sh_span **spans, size_t *n,
    struct sh_error *err);

/* Returns the tokens of a document. It has the type that sh_matcher_begin() needs, with x as arg. */
struct sh_side sh_index_side(const void *x, uint32_t document);

#endif
