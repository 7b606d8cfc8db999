/* SPDX-License-Identifier: MIT */
/* Memory for byte strings. The strings never move, and live until the arena is freed. A
 * zeroed struct is an empty arena. */
#ifndef SH_BASE_ARENA_H
#define SH_BASE_ARENA_H

#include "base/error.h"
#include "base/slice.h"

struct sh_arena {
	struct sh_arena_slab *slabs; /* the first slab is being filled */
	size_t bytes;                /* allocated memory */
};

/* Returns n bytes, not aligned and not initialised. Returns NULL when memory is short. */
char *sh_arena_room(struct sh_arena *a, size_t n, struct sh_error *err);

/* Removes all strings and frees all memory. The arena can be used again. */
void sh_arena_free(struct sh_arena *a);

#endif
