/* SPDX-License-Identifier: MIT */
/* An index for queries: a hash table of all k-grams of the texts, and a filter before it that fits
 * in the cache. */
#ifndef SH_PASSAGE_INDEX_H
#define SH_PASSAGE_INDEX_H

#include "passage/match.h"

struct sh_index {
	const struct sh_texts *texts; /* borrowed */
	struct sh_posting *posting;   /* of the texts; by key, document, token */
	size_t n, cap, bound;
	uint64_t *filter;
	uint32_t *slot; /* hash table: 1 + the first posting of a group; at most half full */
	unsigned filter_bits, slot_bits;
	/* Set by the caller after sh_index_make(): tokens of a sufficient match, and of the longest
	 * k-gram. */
	uint32_t enough, longest;
	/* By query: the fewest tokens that it must share with a document. sh_index_make() allocates
	 * it and sets all elements to 0; then the caller sets them. */
	uint32_t *need;
	uint64_t exceeding; /* number of k-grams with more than `bound` postings */
};

/* Builds the index. Borrows the texts. seeds: their postings. bound: most postings of a k-gram that
 * are read. sh_index_free() frees *x also after -1. */
int sh_index_make(struct sh_index *x, const struct sh_texts *texts, struct sh_sorter *seeds,
    size_t bound, struct sh_error *err);
void sh_index_free(struct sh_index *x);

/* The state of one thread and of the document that it looks up. Zeroed at first. */
struct sh_index_room {
	uint64_t *token; /* a bit for each token of the document, by some bits of its hash */
	size_t token_cap;
	uint32_t token_mask;
	uint32_t *verdict; /* by query: 2 * serial, + 1 when it shares enough tokens */
	uint32_t serial;   /* of the document */
	uint32_t *gram;    /* first tokens of its k-grams that pass the filter */
	uint32_t *side;    /* its tokens as 32-bit hashes, as those of the queries */
	size_t gram_cap, side_cap;
};

void sh_index_room_free(struct sh_index_room *room);

/* Computes the spans of a document with the queries (sh_span.document), as sh_matcher_spans() does.
 * Reads at most the first `bound` postings of a k-gram, and fewer after many hits, so that time and
 * memory stay linear. Skips k-grams with more than `bound` postings within an exact match of at
 * least `enough` tokens, when another such k-gram gave the match. Leaves out queries that share
 * fewer tokens with the document than they need. */
int sh_index_spans(const struct sh_index *x, const struct sh_seeds *seeds,
    struct sh_index_room *room, struct sh_matcher *m, struct sh_span **spans, size_t *n,
    struct sh_error *err);

/* Returns the tokens of a document. It has the type that sh_matcher_begin() needs, with x as
 * arg. */
struct sh_token_hashes sh_index_tokens(const void *x, uint32_t document);

#endif
