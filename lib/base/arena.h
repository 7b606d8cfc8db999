/* Copies of byte strings that live until the arena is cleared or freed, and never
 * move. A zeroed struct is a valid empty arena. */
#ifndef SH_BASE_ARENA_H
#define SH_BASE_ARENA_H

#include "base/error.h"
#include "base/slice.h"

struct sh_arena {
	struct sh_arena_chunk *chunks; /* the first one is being filled */
	size_t bytes;                  /* memory held, unused room included */
};

/* n bytes of room, not aligned, or NULL. */
char *sh_arena_room(struct sh_arena *a, size_t n, struct sh_error *err);

/* Forget everything; keeps at most one small chunk. */
void sh_arena_clear(struct sh_arena *a);
void sh_arena_free(struct sh_arena *a);

#endif
