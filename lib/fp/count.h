/* How often each hash stands in a document: distinct hashes with their counts, in order of
 * first occurrence. Two features with one 64-bit hash count as one, which changes no
 * bit that they would not agree on anyway. */
#ifndef SH_FP_COUNT_H
#define SH_FP_COUNT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sh_hash_count {
	uint64_t *hash;  /* distinct ones */
	uint32_t *count; /* of each */
	uint32_t *first; /* where in the input each stood first */
	size_t n;

	/* The rest is the module's own. */
	uint32_t *next;  /* distinct hash of the same slot: its index + 1, or 0 */
	uint32_t *slots; /* base + index; what is below base was a document before */
	uint32_t base;
	size_t cap, n_slots;
	uint64_t key; /* random: the hashes are the user's */
};

int sh_hash_count_init(struct sh_hash_count *c, struct sh_error *err);
void sh_hash_count_free(struct sh_hash_count *c);

/* Count n hashes, n < 2^32 - 1, replacing what was there. */
int sh_hash_count(struct sh_hash_count *c, const uint64_t *hash, size_t n, struct sh_error *err);

#endif
