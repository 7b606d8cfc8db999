/* Sorts hashes, and finds the distinct ones. */
#ifndef SH_FP_HASHSORT_H
#define SH_FP_HASHSORT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Owns its memory; a zeroed struct is empty. */
struct sh_hashes {
	uint64_t *hash;
	uint32_t *count; /* as many elements as `hash` */
	uint64_t *room;  /* scratch memory */
	size_t hash_cap, count_cap, room_cap;
};

/* Makes room for n hashes. Contents are lost. */
int sh_hashes_reserve(struct sh_hashes *h, size_t n, struct sh_error *err);
void sh_hashes_free(struct sh_hashes *h);

/* Sorts the first n hashes. Their upper bits must be evenly distributed, apart from equal ones. */
void sh_hashes_sort(struct sh_hashes *h, size_t n);

/* Sorts the first n hashes, and drops the repeated ones. Sets h->count to the occurrences of
 * each. Returns the number of distinct hashes. */
size_t sh_hashes_distinct(struct sh_hashes *h, size_t n);

#endif
