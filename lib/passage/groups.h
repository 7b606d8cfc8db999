/* SPDX-License-Identifier: MIT */
/* Groups of postings with one key: the places of a seed. They say with which documents a document
 * is compared. */
#ifndef SH_PASSAGE_GROUPS_H
#define SH_PASSAGE_GROUPS_H

#include "passage/match.h"

struct sh_group_member {
	uint32_t document, token;
};

/* A seed of a document: at this token. */
struct sh_group_place {
	uint32_t token, group;
	uint32_t before; /* members of the group that are in earlier documents */
};

struct sh_groups {
	uint64_t *key;                  /* by group, ascending */
	uint32_t *start;                /* by group: its first member; start[n]: the end */
	struct sh_group_member *member; /* group by group; by document and token */
	size_t n, n_members;
	/* By document and token, and by document: its first place; at[documents]: the end. */
	struct sh_group_place *place;
	uint64_t *at;

	size_t key_cap, start_cap, member_cap;
	struct sh_tables *tables;
};

/* Sorts the postings into groups, with arrays in `tables`; NULL: in memory. alone:
 * keeps groups of one document alone. SH_ERR_RANGE: 2^32 - 1 postings or more are left. Further
 * postings may be added to the sorter afterwards. sh_groups_free() frees *g also after -1. */
int sh_groups_make(struct sh_groups *g, struct sh_tables *tables, struct sh_sorter *postings,
    bool alone, struct sh_error *err);
/* Makes g->place and g->at, for this number of documents. */
int sh_groups_list(struct sh_groups *g, size_t documents, struct sh_error *err);
void sh_groups_free(struct sh_groups *g);

static inline size_t sh_group_size(const struct sh_groups *g, size_t group)
{
	return g->start[group + 1] - g->start[group];
}

struct sh_hits_opts {
	size_t bound;     /* a seed in at most this number of places gives hits with all places */
	uint32_t nearest; /* a seed in more places: with the first place and these last places */
	/* A seed in more places is skipped within a match of at least `enough` tokens that another
	 * such seed gave: in "a a a a" each place gives a long match. */
	uint32_t enough;
	uint32_t longest; /* tokens of the longest seed */
};

/* Passes the hits of a document with earlier ones to the matcher, which has begun the document.
 * Their number is linear in the input. */
int sh_groups_hits(const struct sh_groups *g, uint32_t document, const struct sh_hits_opts *opts,
    struct sh_matcher *m, struct sh_error *err);

#endif
