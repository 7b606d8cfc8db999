/* SPDX-License-Identifier: MIT */
/* Postings of seeds, sorted into groups of equal keys. */
#ifndef SH_PASSAGE_GROUPS_H
#define SH_PASSAGE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/tables.h"

/* A seed occurs in this document, at this token. */
struct sh_posting {
	uint64_t key;
	uint32_t document, token;
};

/* Sorts n postings by key, document and token, by `jobs` threads. tables: storage of large arrays;
 * NULL: memory. Returns -1 when memory runs out. */
int sh_postings_sort(
    struct sh_tables *tables, unsigned jobs, struct sh_posting *p, size_t n, struct sh_error *err);

struct sh_groups {
	struct sh_posting *posting; /* borrowed; by group, document, token */
	size_t n;
	uint32_t *order; /* indexes of postings, by document and token */
	uint64_t *at;    /* by document: its first element of `order`; at[documents]: the end */
	size_t documents;
	struct sh_tables *tables;
};

/* Makes groups of n sorted postings, with arrays in `tables`; NULL: in memory. Borrows the
 * postings, drops groups of one document alone, and moves the other groups together. within: keeps
 * groups of several postings of one document, too. documents: the number of all documents.
 * SH_ERR_RANGE: 2^32 - 1 postings or more are left. sh_groups_free() frees *g also after -1. */
int sh_groups_make(struct sh_groups *g, struct sh_tables *tables, struct sh_posting *p, size_t n,
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
