/* SPDX-License-Identifier: MIT */
/* The distinct ids of records that several threads read. Sorted, they are numbered in bytewise
 * order.
 *
 * While ids are added, each has a handle. Handles depend on the order of the threads, so the output
 * must not depend on them. */
#ifndef SH_GROUP_IDSET_H
#define SH_GROUP_IDSET_H

#include <pthread.h>

#include "base/buf.h"
#include "base/hmap.h"

struct sh_idset {
	struct sh_hmap ids;   /* by handle */
	pthread_mutex_t lock; /* of ids */
	/* Set by sh_idset_sort(). */
	uint32_t n;        /* number of ids; all handles are below it */
	const char **text; /* by number: a key of sh_hmap */
	uint32_t *number;  /* by handle */
};

/* The ids of a thread's records, to be added together. Ready when zeroed. */
struct sh_idset_batch {
	struct sh_buf ids;     /* slices */
	struct sh_buf handles; /* result of the last sh_idset_put() */
};

/* Free s also after a failure. */
int sh_idset_init(struct sh_idset *s, struct sh_error *err);
void sh_idset_free(struct sh_idset *s);
void sh_idset_batch_free(struct sh_idset_batch *b);

/* Appends an id, which must stay valid until sh_idset_put(). */
static inline int sh_idset_add(struct sh_idset_batch *b, struct sh_slice id, struct sh_error *err)
{
	return sh_buf_add(&b->ids, &id, sizeof id, err);
}

/* Adds the ids of the batch that the set does not have, and empties the batch, also when it fails.
 * Returns an array of handles, one for each id of the batch, in the order of sh_idset_add(). The
 * array is valid until the next sh_idset_put() or sh_idset_batch_free() of the batch. Returns NULL
 * on failure. Threads may call it at the same time, each with its own batch. SH_ERR_RANGE: the set
 * would have 2^32 ids or more. */
const uint32_t *sh_idset_put(struct sh_idset *s, struct sh_idset_batch *b, struct sh_error *err);

/* Numbers the ids 0, 1, ... in bytewise order, by threads >= 1 threads. Call it once, after all ids
 * were added and before the functions below. */
int sh_idset_sort(struct sh_idset *s, unsigned threads, struct sh_error *err);

/* Sets *number to the number of the id and returns true; returns false when the set lacks it. Any
 * thread may call it. */
bool sh_idset_find(const struct sh_idset *s, struct sh_slice id, uint32_t *number);

/* Returns the id of a number below s->n, valid until sh_idset_free(). */
static inline struct sh_slice sh_idset_id(const struct sh_idset *s, uint32_t number)
{
	const char *p = s->text[number];

	return sh_slice(p, sh_hmap_key_length(p));
}

#endif
