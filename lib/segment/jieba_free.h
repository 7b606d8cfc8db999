/* SPDX-License-Identifier: MIT */
/* The set of unused nodes of the dictionary's trie. One bit per node lets sh_free_nodes_fit() try
 * 64 bases at a time. In a zeroed struct all nodes are in the set. */
#ifndef SH_SEGMENT_JIEBA_FREE_H
#define SH_SEGMENT_JIEBA_FREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sh_free_nodes {
	uint64_t *bits; /* bit 1: in the set; nodes beyond bits[] are in the set */
	size_t n, cap;  /* in words of 64 bits */
	uint32_t first; /* nodes SH_CODE_END .. first - 1 are not in the set */
};

void sh_free_nodes_free(struct sh_free_nodes *f);

/* Extends bits[] so that node `at` has a bit. SH_ERR_RANGE: `at` is 2^27 or greater. */
int sh_free_nodes_extend(struct sh_free_nodes *f, uint64_t at, struct sh_error *err);

static inline bool sh_free_nodes_has(const struct sh_free_nodes *f, uint32_t at)
{
	return at / 64 >= f->n || f->bits[at / 64] >> at % 64 & 1;
}

/* Removes or adds node `at`, which must have a bit. */
void sh_free_nodes_remove(struct sh_free_nodes *f, uint32_t at);
void sh_free_nodes_add(struct sh_free_nodes *f, uint32_t at);

/* Finds the least *base such that node *base + codes[i] is in the set, and at least SH_CODE_END,
 * for all n >= 1 ascending codes. Extends bits[] to these nodes. Does not remove them. */
int sh_free_nodes_fit(
    struct sh_free_nodes *f, const uint32_t *codes, size_t n, uint32_t *base, struct sh_error *err);

#endif
