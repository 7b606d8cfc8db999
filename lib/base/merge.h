/* Sorted streams merged into one: a binary heap of cursors, the smallest key first,
 * equal keys in the order of the cursors. */
#ifndef SH_BASE_MERGE_H
#define SH_BASE_MERGE_H

#include "base/error.h"
#include "base/slice.h"

#include <stdint.h>

struct sh_merge {
	/* Advance cursor i: 1 and *key (valid until the cursor's next advance), 0 at its end, -1. */
	int (*next)(void *arg, size_t i, struct sh_slice *key, struct sh_error *err);
	void *arg;
	struct sh_slice *key; /* by cursor */
	size_t *heap;
	size_t n;
};

/* Advance each of n cursors once and order them. m is to be freed also on failure. */
int sh_merge_init(struct sh_merge *m, size_t n, struct sh_error *err);
void sh_merge_free(struct sh_merge *m);

/* The cursor with the smallest key; false when all have ended. */
bool sh_merge_top(const struct sh_merge *m, size_t *cursor);

/* Advance the cursor on top. */
int sh_merge_pop(struct sh_merge *m, struct sh_error *err);

#endif
