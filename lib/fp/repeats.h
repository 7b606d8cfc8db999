/* Finds the hashes that occur more than once in a document, with their counts; or each hash once.
 *
 * With -w log, a feature weighs 1 for its first occurrence and less for each further one. So all
 * occurrences are added with weight 1, and the surplus of the repeated hashes is subtracted: the
 * distinct hashes need not be listed. With -w set each distinct hash weighs 1: the distinct ones
 * are listed, and need no weights. */
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

/* Finds the hashes that occur at least twice among n hashes, n < 2^31: r->hash, r->count, r->n. Returns -1 when
 * memory runs out. */
int sh_repeats_find(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err);

/* Finds each distinct hash of n hashes, n < 2^31: r->hash, r->n. */
int sh_repeats_once(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err);

#endif
