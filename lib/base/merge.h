/* SPDX-License-Identifier: MIT */
/* Merges sorted streams. Each stream has a cursor, numbered from 0. Keys are compared bytewise.
 * The smallest key comes first; equal keys come in the order of their cursors. */
#ifndef SH_BASE_MERGE_H
#define SH_BASE_MERGE_H

#include "base/error.h"
#include "base/slice.h"

#include <stdint.h>

struct sh_merge {
	/* Set before sh_merge_init(). Advances cursor i. Returns 1 and sets *key; 0 at the end of
	 * the stream; or -1. *key is valid until cursor i advances again. */
	int (*next)(void *arg, size_t i, struct sh_slice *key, struct sh_error *err);
	void *arg;
	struct sh_slice *key; /* by cursor: its current key */
	size_t *heap;
	size_t n; /* cursors in the heap: their streams have not ended */
};

/* Advances each of n cursors once. Returns 0 or -1. Call sh_merge_free() also after -1. */
int sh_merge_init(struct sh_merge *m, size_t n, struct sh_error *err);
void sh_merge_free(struct sh_merge *m);

/* Sets *cursor to the cursor with the smallest key, m->key[*cursor]. Returns false when all streams
 * have ended. */
bool sh_merge_top(const struct sh_merge *m, size_t *cursor);

/* Advances the cursor that sh_merge_top() set. Returns 0 or -1. */
int sh_merge_pop(struct sh_merge *m, struct sh_error *err);

#endif
