/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

/* Slabs double in size, from FIRST to LAST bytes. A small arena uses little memory, and a large
 * arena calls malloc() rarely. A string of more than LAST bytes gets its own slab. */
enum { FIRST = 4096, LAST = 1 << 20 };

struct sh_arena_slab {
	struct sh_arena_slab *next;
	size_t used, cap;
	char bytes[];
};

char *sh_arena_room(struct sh_arena *a, size_t n, struct sh_error *err)
{
	struct sh_arena_slab *c = a->slabs;
	size_t cap = FIRST;

	if (!c || n > c->cap - c->used) {
		if (c)
			cap = c->cap < LAST / 2 ? c->cap * 2 : LAST;
		if (cap < n)
			cap = n;
		if (cap > SIZE_MAX / 2 || !(c = malloc(sizeof *c + cap))) {
			sh_error_nomem(err);
			return NULL;
		}
		*c = (struct sh_arena_slab){ .next = a->slabs, .cap = cap };
		a->slabs = c;
		a->bytes += sizeof *c + cap;
	}
	c->used += n;
	return c->bytes + c->used - n;
}

void sh_arena_free(struct sh_arena *a)
{
	struct sh_arena_slab *c = a->slabs, *next;

	for (; c; c = next) {
		next = c->next;
		free(c);
	}
	*a = (struct sh_arena){ 0 };
}
