/* The set of free nodes of the dictionary's trie, one bit each, so that places for the children of a
 * node are searched 64 at a time. A zeroed object is valid: all nodes are free. */
#ifndef SH_SEGMENT_JIEBA_FREE_H
#define SH_SEGMENT_JIEBA_FREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sh_free_nodes {
	uint64_t *bits;
	size_t n, cap; /* in words of 64 bits */
	uint32_t full; /* no node from SH_CODE_END up to this one is free */
};

void sh_free_nodes_free(struct sh_free_nodes *f);

/* Extends the set to node `at`. New nodes are free. */
int sh_free_extend(struct sh_free_nodes *f, uint64_t at, struct sh_error *err);

static inline bool sh_free_has(const struct sh_free_nodes *f, uint32_t at)
{
	return at / 64 >= f->n || f->bits[at / 64] >> at % 64 & 1;
}

/* Both need a node within the set. */
void sh_free_take(struct sh_free_nodes *f, uint32_t at);
void sh_free_give(struct sh_free_nodes *f, uint32_t at);

/* Finds the least base for which the nodes of n >= 1 ascending codes are free and at SH_CODE_END or
 * above. Extends the set to these nodes, which stay free. */
int sh_free_fit(
    struct sh_free_nodes *f, const uint32_t *codes, size_t n, uint32_t *base, struct sh_error *err);

#endif
