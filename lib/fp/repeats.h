/* The hashes that stand in a document more than once, with their counts; or each hash once.
 *
 * Where a hash's weight is that of one occurrence but for the repeated ones (log), all
 * occurrences can be counted as they come, and what the repeated ones have too much be taken
 * back: so the distinct ones need not be listed. Where all weigh the same (set), they are,
 * and nothing is weighed. */
#ifndef SH_FP_REPEATS_H
#define SH_FP_REPEATS_H

#include "fp/count.h"
#include "fp/repeats_kernel.h"

struct sh_repeats {
	uint64_t *hash;
	uint32_t *count; /* of each, 2 or more; not by sh_repeats_once() */
	size_t n;

	/* The rest is the module's own. */
	const struct sh_repeats_kernel *kernel;
	size_t hash_cap, count_cap;
	void *work; /* see repeats.c */
	size_t work_cap;
	struct sh_hash_count strays;
};

int sh_repeats_init(struct sh_repeats *r, struct sh_error *err);
void sh_repeats_free(struct sh_repeats *r);

/* Find those of n hashes, n < 2^31, replacing what was there. Their order is any. */
int sh_repeats_find(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err);

/* Find each of n hashes once instead, n < 2^31. */
int sh_repeats_once(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err);

#endif
