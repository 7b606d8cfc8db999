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

static void add_slab(struct sh_arena *a, struct sh_arena_slab *c)
{
	/* A slab of one large string becomes the second slab, because the first slab has room. */
	if (a->slabs && c->cap > LAST) {
		c->next = a->slabs->next;
		a->slabs->next = c;
	} else {
		c->next = a->slabs;
		a->slabs = c;
	}
	a->bytes += sizeof *c + c->cap;
}

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
		c->used = 0;
		c->cap = cap;
		add_slab(a, c);
	}
	c->used += n;
	return c->bytes + c->used - n;
}

static void drop(struct sh_arena_slab *c)
{
	struct sh_arena_slab *next;

	for (; c; c = next) {
		next = c->next;
		free(c);
	}
}

void sh_arena_clear(struct sh_arena *a)
{
	struct sh_arena_slab *c = a->slabs;

	if (!c || c->cap > 16 * FIRST) {
		sh_arena_free(a);
		return;
	}
	drop(c->next);
	c->next = NULL;
	c->used = 0;
	a->bytes = sizeof *c + c->cap;
}

void sh_arena_free(struct sh_arena *a)
{
	drop(a->slabs);
	*a = (struct sh_arena){ 0 };
}
