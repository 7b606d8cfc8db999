/* Lists the hashes that occur more than once in a document, with their counts;
 * or each distinct hash.
 *
 * The scheme log gives a feature weight 1 for its first occurrence and less for each further
 * occurrence. Every occurrence is then added with weight 1, and the surplus of the repeated hashes
 * is subtracted: only repeated hashes must be found. The scheme set gives every distinct hash
 * weight 1: no counts are needed. */
#ifndef SH_FP_REPEATS_H
#define SH_FP_REPEATS_H

#include "fp/count.h"
#include "fp/repeats_kernel.h"

struct sh_repeats {
	/* The result of the last call, in any order. */
	uint64_t *hash;
	uint32_t *count; /* after sh_repeats_find(): occurrences of each, 2 or more */
	size_t n;

	/* Private. */
	const struct sh_repeats_kernel *kernel;
	size_t hash_cap, count_cap;
	void *work; /* table, slots and indexes, see repeats.c */
	size_t work_cap;
	struct sh_hash_count collided;
};

int sh_repeats_init(struct sh_repeats *r, struct sh_error *err);
void sh_repeats_free(struct sh_repeats *r);

/* Sets r->hash, r->count and r->n to the hashes that occur at least twice among n < 2^31 hashes.
 * Returns -1 when memory runs out. */
int sh_repeats_find(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err);

/* Sets r->hash and r->n to the distinct hashes of n < 2^31 hashes. r->count has no meaning. */
int sh_repeats_once(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err);

#endif
