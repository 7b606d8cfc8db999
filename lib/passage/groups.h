/* SPDX-License-Identifier: MIT */
/* Postings of seeds, sorted into groups of equal keys. */
#ifndef SH_PASSAGE_GROUPS_H
#define SH_PASSAGE_GROUPS_H

#include "base/bytes.h"
#include "io/sorter.h"
#include "io/tables.h"

/* A seed occurs in this document, at this token. */
struct sh_posting {
	uint64_t key;
	uint32_t document, token;
};

/* A posting as a record of the sorter, which orders postings by key, document and token. */
enum { SH_SEED_KEY = 8, SH_SEED_SIZE = 16 };

static inline void sh_seed_pack(const struct sh_posting *p, char *record)
{
	sh_put_be64(record, p->key);
	sh_put_be32(record + SH_SEED_KEY, p->document);
	sh_put_be32(record + SH_SEED_KEY + 4, p->token);
}

static inline struct sh_posting sh_seed_unpack(const char *record)
{
	return (struct sh_posting){ sh_be64(record), sh_be32(record + SH_SEED_KEY),
		sh_be32(record + SH_SEED_KEY + 4) };
}

/* Prepares a sorter for postings; see struct sh_sorter. */
void sh_seeds_init(struct sh_sorter *seeds, size_t memory, unsigned jobs, const char *dir);
int sh_seeds_add(struct sh_sorter *seeds, const struct sh_posting *p, struct sh_error *err);

/* Sorts the postings, and calls `each` for all of them in their order. Further postings may be
 * added afterwards. */
typedef int sh_seed_fn(void *arg, const struct sh_posting *p, struct sh_error *err);
int sh_seeds_each(struct sh_sorter *seeds, sh_seed_fn *each, void *arg, struct sh_error *err);

struct sh_groups {
	struct sh_posting *posting; /* by group, document, token */
	size_t n, cap;
	uint32_t *order; /* indexes of postings, by document and token */
	uint64_t *at;    /* by document: its first element of `order`; at[documents]: the end */
	size_t documents;
	struct sh_tables *tables;
};

/* Sorts the postings and makes groups of them, with arrays in `tables`; NULL: in memory. Drops
 * groups of one document alone; within: only those of one posting. documents: the number of all
 * documents. SH_ERR_RANGE: 2^32 - 1 postings or more are left. sh_groups_free() frees *g also
 * after -1. */
int sh_groups_make(struct sh_groups *g, struct sh_tables *tables, struct sh_sorter *seeds,
    size_t documents, bool within, struct sh_error *err);
void sh_groups_free(struct sh_groups *g);

/* In groups the key of a posting has two indexes: of the first posting of its group, and of the
 * first posting of the group in this document. */
static inline uint32_t sh_group_first(const struct sh_posting *p)
{
	return (uint32_t)(p->key >> 32);
}

static inline uint32_t sh_group_run(const struct sh_posting *p)
{
	return (uint32_t)p->key;
}

/* Returns whether the group of posting i has more than `bound` postings. */
static inline bool sh_group_exceeds(const struct sh_groups *g, uint32_t i, size_t bound)
{
	size_t first = sh_group_first(&g->posting[i]);

	return first + bound < g->n && sh_group_first(&g->posting[first + bound]) == first;
}

/* Returns the index behind the last posting of the group that begins with posting `first`. */
size_t sh_group_end(const struct sh_groups *g, size_t first);

/* Returns the number of groups with more than `bound` postings. */
uint64_t sh_groups_exceeding(const struct sh_groups *g, size_t bound);

#endif
