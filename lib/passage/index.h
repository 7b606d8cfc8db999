/* SPDX-License-Identifier: MIT */
/* An index for queries: a hash table of all k-grams of the texts, and a filter before it that fits
 * in the cache. */
#ifndef SH_PASSAGE_INDEX_H
#define SH_PASSAGE_INDEX_H

#include "passage/groups.h"

struct sh_index_opts {
	size_t bound;     /* most places of a k-gram that are read */
	uint32_t longest; /* tokens of the longest k-gram */
	/* A document must share at least this number of tokens with a query, and tokens for this
	 * coverage of the query, see sh_coverage_needs(). */
	uint32_t least;
	uint64_t coverage;
};

struct sh_index {
	const struct sh_texts *texts; /* borrowed */
	struct sh_index_opts opts;
	struct sh_groups groups; /* k-grams of the texts */
	uint64_t *filter;
	uint32_t *slot; /* hash table: 1 + a group; at most half full */
	unsigned filter_bits, slot_bits;
	uint64_t exceeding; /* number of k-grams in more than opts.bound places */
};

/* Builds the index. Borrows the texts. postings: of the texts. sh_index_free() frees *x also
 * after -1. */
int sh_index_make(struct sh_index *x, const struct sh_texts *texts, struct sh_sorter *postings,
    const struct sh_index_opts *opts, struct sh_error *err);
void sh_index_free(struct sh_index *x);

/* The state of one thread and of the document that it looks up. Zeroed at first. */
struct sh_index_room {
	uint64_t *token; /* a bit for each token of the document, by some bits of its hash */
	size_t token_cap;
	uint32_t token_mask;
	uint32_t *verdict; /* by query: 2 * serial, + 1 when it shares enough tokens */
	uint32_t serial;   /* of the document */
	uint32_t *gram;    /* first tokens of its k-grams that pass the filter */
	size_t gram_cap;
};

void sh_index_room_free(struct sh_index_room *room);

/* Computes the spans of a document with the queries (sh_span.document), as sh_matcher_spans() does.
 * The matcher's others are the queries. Reads at most the first `bound` places of a k-gram, and
 * fewer after many hits, so that time and memory stay linear. Skips k-grams in more than `bound`
 * places within an exact match of at least SH_CHANCE_VERBATIM tokens, when another such k-gram gave
 * the match. Leaves out queries that share fewer tokens with the document than they need. */
int sh_index_spans(const struct sh_index *x, const struct sh_seeds *seeds,
    struct sh_index_room *room, struct sh_matcher *m, struct sh_span **spans, size_t *n,
    struct sh_error *err);

#endif
