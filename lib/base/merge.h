/* Merges sorted streams with a binary heap of cursors. The smallest key comes first; equal keys come in the
 * order of the cursors. */
#ifndef SH_BASE_MERGE_H
#define SH_BASE_MERGE_H

#include "base/error.h"
#include "base/slice.h"

#include <stdint.h>

struct sh_merge {
	/* Advances cursor i. Returns 1 and sets *key, which is valid until the cursor advances again; 0 at the
	 * end of the stream; or -1. */
	int (*next)(void *arg, size_t i, struct sh_slice *key, struct sh_error *err);
	void *arg;
	struct sh_slice *key; /* by cursor */
	size_t *heap;
	size_t n;
};

/* Advances each of n cursors once and builds the heap. Returns 0 or -1; m must be freed also after -1. */
int sh_merge_init(struct sh_merge *m, size_t n, struct sh_error *err);
void sh_merge_free(struct sh_merge *m);

/* Sets *cursor to the cursor with the smallest key. Returns false when all streams have ended. */
bool sh_merge_top(const struct sh_merge *m, size_t *cursor);

/* Advances the cursor of sh_merge_top(). Returns 0 or -1. */
int sh_merge_pop(struct sh_merge *m, struct sh_error *err);

#endif
