/* SPDX-License-Identifier: MIT */
/* An index of seeds: the places of each seed in some texts. It gives the spans of a document of
 * these texts and earlier documents, or the spans of any document and of texts that are queries.
 * Time and memory are linear in the input: of a seed in many places only some are compared. */
#ifndef SH_PASSAGE_INDEX_H
#define SH_PASSAGE_INDEX_H

#include "passage/match.h"

/* A place of a seed. */
struct sh_index_place {
	uint32_t document, token;
};

/* A seed of a document: at this token. */
struct sh_index_seed {
	uint32_t token, group;
	uint32_t before; /* places of the group that are in earlier documents */
};

struct sh_index {
	/* Set by the caller. */
	/* A seed in at most this number of places gives hits with all places before the document.
	 * A seed in more places gives hits with the first place and the last `nearest` places. A
	 * query's seed gives hits with its first `bound` places. */
	size_t bound;
	uint32_t nearest;
	/* A seed in more places is skipped within a match of at least `enough` tokens that another
	 * such seed gave: in "a a a a" each place gives a long match. */
	uint32_t enough;
	uint32_t longest; /* tokens of the longest seed */
	/* A document must share at least this number of tokens with a query, and tokens for this
	 * coverage of the query, see sh_coverage_needs(). */
	uint32_t least;
	uint64_t coverage;

	/* A group is the places of one seed. */
	size_t n;                     /* groups */
	uint64_t *key;                /* by group, ascending */
	uint32_t *documents;          /* by group: number of documents with the seed */
	uint32_t *start;              /* by group: its first place; start[n]: the end */
	struct sh_index_place *place; /* group by group; by document and token */
	/* SH_INDEX_EARLIER: by document and token; by document: its first seed, at[n]: the end. */
	struct sh_index_seed *seed;
	uint64_t *at;

	/* Private. */
	const struct sh_texts *texts;
	struct sh_tables *tables;
	size_t key_cap, documents_cap, start_cap, place_cap;
	uint64_t *filter; /* of keys: fits in the cache */
	uint32_t *slot;   /* hash table of keys: 1 + a group; at most half full */
	unsigned filter_bits, slot_bits;
};

enum sh_index_use {
	SH_INDEX_GROUPS,  /* groups only */
	SH_INDEX_EARLIER, /* for sh_index_earlier(): groups of several documents only */
	SH_INDEX_QUERIES, /* for sh_index_queries() */
};

/* Makes the groups of sorted postings, with arrays in texts->tables, and what `use` needs. Borrows
 * the texts. SH_ERR_RANGE: 2^32 - 1 postings or more are in groups. Further postings may be added
 * to the sorter afterwards. sh_index_free() frees *x also after -1. */
int sh_index_make(struct sh_index *x, const struct sh_texts *texts, struct sh_sorter *postings,
    enum sh_index_use use, struct sh_error *err);
void sh_index_free(struct sh_index *x);

static inline size_t sh_index_size(const struct sh_index *x, size_t group)
{
	return x->start[group + 1] - x->start[group];
}

/* Returns the number of seeds in more than x->bound places. */
size_t sh_index_frequent(const struct sh_index *x);

/* Computes the spans of a document of the texts with earlier ones, as sh_matcher_spans() does. */
int sh_index_earlier(const struct sh_index *x, uint32_t document, struct sh_matcher *m,
    struct sh_span **spans, size_t *n, struct sh_error *err);

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

/* Computes the spans of any document with the queries (sh_span.document). Reads fewer places of a
 * seed after many hits. Leaves out queries that share fewer tokens with the document than they
 * need. */
int sh_index_queries(const struct sh_index *x, const struct sh_seeds *seeds,
    struct sh_index_room *room, struct sh_matcher *m, struct sh_span **spans, size_t *n,
    struct sh_error *err);

#endif
