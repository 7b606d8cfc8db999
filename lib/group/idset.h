/* SPDX-License-Identifier: MIT */
/* The distinct ids of records. Sorted, they are numbered in bytewise order.
 *
 * While ids are added, each has a handle: the indexes of struct sh_hmap. */
#ifndef SH_GROUP_IDSET_H
#define SH_GROUP_IDSET_H

#include "base/hmap.h"

struct sh_idset {
	struct sh_hmap ids; /* by handle; sh_hmap_init() and sh_hmap_put() make it */
	/* Set by sh_idset_sort(). */
	uint32_t n;       /* number of ids; all handles are below it */
	uint32_t *handle; /* by number */
	uint32_t *number; /* by handle */
};

/* Does nothing with a zeroed struct. */
void sh_idset_free(struct sh_idset *s);

/* Numbers the ids 0, 1, ... in bytewise order, by threads >= 1 threads. Call it once, after all ids
 * were added and before the functions below. */
int sh_idset_sort(struct sh_idset *s, unsigned threads, struct sh_error *err);

/* Sets *number to the number of the id and returns true; returns false when the set lacks it. Any
 * thread may call it. */
bool sh_idset_find(const struct sh_idset *s, struct sh_slice id, uint32_t *number);

/* Returns the id of a number below s->n, valid until sh_idset_free(). */
static inline struct sh_slice sh_idset_id(const struct sh_idset *s, uint32_t number)
{
	return sh_hmap_key(&s->ids, s->handle[number]);
}

#endif
