/* Which nodes of the dictionary's trie are free, one bit each; room for a family of
 * children is sought 64 places at a time. Zeroed: valid, and all nodes are free. */
#ifndef SH_SEGMENT_JIEBA_FREE_H
#define SH_SEGMENT_JIEBA_FREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sh_free_nodes {
	uint64_t *bits;
	size_t n, cap; /* words of 64 bits */
	uint32_t full; /* 64-bit windows from SH_CODE_END up to here have no free node */
};

void sh_free_nodes_free(struct sh_free_nodes *f);

/* Make node `at` known, as a free one, with all before it. */
int sh_free_extend(struct sh_free_nodes *f, uint64_t at, struct sh_error *err);

static inline bool sh_free_has(const struct sh_free_nodes *f, uint32_t at)
{
	return at / 64 >= f->n || f->bits[at / 64] >> at % 64 & 1;
}

/* Both need a node that is known. */
void sh_free_take(struct sh_free_nodes *f, uint32_t at);
void sh_free_give(struct sh_free_nodes *f, uint32_t at);

/* The first base at which the nodes of n >= 1 ascending codes, all at SH_CODE_END or
 * above, are free. They become known, and stay free. */
int sh_free_fit(
    struct sh_free_nodes *f, const uint32_t *codes, size_t n, uint32_t *base, struct sh_error *err);

#endif
