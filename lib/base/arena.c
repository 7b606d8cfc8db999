#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

/* Chunks double from FIRST to LAST, so that a small arena is small and a large one
 * makes few calls; what is larger gets a chunk of its own. */
enum { FIRST = 4096, LAST = 1 << 20 };

struct sh_arena_chunk {
	struct sh_arena_chunk *next;
	size_t used, cap;
	char bytes[];
};

static void hold(struct sh_arena *a, struct sh_arena_chunk *c)
{
	/* A chunk of its own goes behind the one being filled, whose room stays in use. */
	if (a->chunks && c->cap > LAST) {
		c->next = a->chunks->next;
		a->chunks->next = c;
	} else {
		c->next = a->chunks;
		a->chunks = c;
	}
	a->bytes += sizeof *c + c->cap;
}

char *sh_arena_room(struct sh_arena *a, size_t n, struct sh_error *err)
{
	struct sh_arena_chunk *c = a->chunks;
	size_t cap = FIRST;

	if (!c || n > c->cap - c->used) {
		if (c)
			cap = c->cap < LAST ? c->cap * 2 : LAST;
		if (cap < n)
			cap = n;
		if (cap > SIZE_MAX / 2 || !(c = malloc(sizeof *c + cap))) {
			sh_error_nomem(err);
			return NULL;
		}
		c->used = 0;
		c->cap = cap;
		hold(a, c);
	}
	c->used += n;
	return c->bytes + c->used - n;
}

static void drop(struct sh_arena_chunk *c)
{
	struct sh_arena_chunk *next;

	for (; c; c = next) {
		next = c->next;
		free(c);
	}
}

void sh_arena_clear(struct sh_arena *a)
{
	struct sh_arena_chunk *c = a->chunks;

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
	drop(a->chunks);
	*a = (struct sh_arena){ 0 };
}
