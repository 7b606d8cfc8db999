/* SPDX-License-Identifier: MIT */
/* Sorts hashes, and finds the distinct hashes. */
#ifndef SH_FP_HASHSORT_H
#define SH_FP_HASHSORT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Owns its memory. A zeroed struct is empty. The caller reserves memory for n hashes, then writes
 * them to hash[]. */
struct sh_hashes {
	uint64_t *hash;
	uint32_t *count; /* by hash, after sh_hashes_distinct() */
	uint64_t *room;  /* scratch memory */
	size_t hash_cap, count_cap, room_cap;
};

/* Reserves memory for n hashes. Contents are lost. */
int sh_hashes_reserve(struct sh_hashes *h, size_t n, struct sh_error *err);
void sh_hashes_free(struct sh_hashes *h);

/* Sorts the first n hashes in ascending order. It is fast only when the upper bits of different
 * hashes are evenly distributed. */
void sh_hashes_sort(struct sh_hashes *h, size_t n);

/* Sorts the first n hashes, and drops repeated hashes. Sets h->count[i] to the number of
 * occurrences of h->hash[i]. Returns the number of distinct hashes. */
size_t sh_hashes_distinct(struct sh_hashes *h, size_t n);

#endif
