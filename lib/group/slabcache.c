#include "group/slabcache.h"

#include <stdlib.h>

#include "io/pages.h"

enum { FIRST_BITS = 8, FIRST_SLAB = 1 << 17, SLAB = 1 << 21, SLABS_MIN = 3 };

struct sh_slab {
	_Alignas(uint64_t) struct sh_slab *newer;
	size_t size, used;
};

int sh_slab_cache_init(struct sh_slab_cache *c, size_t memory, struct sh_error *err)
{
	*c = (struct sh_slab_cache){ .memory = memory, .slot_bits = FIRST_BITS };
	c->slots = calloc((size_t)1 << c->slot_bits, sizeof *c->slots);
	return c->slots ? 0 : sh_error_nomem(err);
}

static void put_slab(struct sh_slab *s)
{
	if (s)
		sh_pages_put(s, s->size);
}

void sh_slab_cache_free(struct sh_slab_cache *c)
{
	struct sh_slab *newer;

	for (struct sh_slab *s = c->oldest; s; s = newer) {
		newer = s->newer;
		put_slab(s);
	}
	free(c->slots);
	*c = (struct sh_slab_cache){ 0 };
}

static struct sh_cached **slot(const struct sh_slab_cache *c, uint64_t number)
{
	return &c->slots[number * UINT64_C(0x9E3779B97F4A7C15) >> (64 - c->slot_bits)];
}

struct sh_cached *sh_slab_cache_find(const struct sh_slab_cache *c, uint64_t number)
{
	struct sh_cached *e = *slot(c, number);

	while (e && e->number != number)
		e = e->next;
	return e;
}

static void forget(struct sh_slab_cache *c, const struct sh_cached *e)
{
	struct sh_cached **at = slot(c, e->number);

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	c->n--;
}

/* Returns the oldest slab after it was emptied. */
static struct sh_slab *drop_oldest(struct sh_slab_cache *c)
{
	struct sh_slab *s = c->oldest;
	const char *p = (const char *)(s + 1), *end = (const char *)s + s->used;

	for (; p < end; p += ((const struct sh_cached *)(const void *)p)->bytes)
		forget(c, (const struct sh_cached *)(const void *)p);
	c->oldest = s->newer;
	c->n_slabs--;
	c->bytes -= s->size;
	c->dropped++;
	return s;
}

/* Adds a slab with room for an entry, a dropped one if possible: the first access to new memory
 * takes time. */
static int add_slab(struct sh_slab_cache *c, size_t bytes, struct sh_error *err)
{
	size_t usual = c->n_slabs && c->memory / SLABS_MIN >= SLAB ? SLAB : FIRST_SLAB, size;
	struct sh_slab *s = NULL;

	if (bytes > SIZE_MAX / 2)
		return sh_error_nomem(err);
	bytes += sizeof *s;
	size = bytes <= usual ? usual : bytes;
	while (c->n_slabs >= SLABS_MIN && c->bytes + size > c->memory) {
		put_slab(s);
		s = drop_oldest(c);
	}
	if (!s || s->size != size) {
		put_slab(s);
		s = sh_pages_get(size);
	}
	if (!s)
		return sh_error_nomem(err);
	*s = (struct sh_slab){ .size = size, .used = sizeof *s };
	*(c->newest ? &c->newest->newer : &c->oldest) = s;
	c->newest = s;
	c->n_slabs++;
	c->bytes += size;
	return 0;
}

void *sh_slab_cache_room(struct sh_slab_cache *c, size_t bytes, struct sh_error *err)
{
	if ((!c->newest || bytes > c->newest->size - c->newest->used) &&
	    add_slab(c, bytes, err) < 0)
		return NULL;
	return (char *)c->newest + c->newest->used;
}

static void grow_slots(struct sh_slab_cache *c)
{
	struct sh_cached **old = c->slots;
	size_t n = (size_t)1 << c->slot_bits;

	if (c->slot_bits == 32)
		return;
	c->slots = calloc(2 * n, sizeof *c->slots);
	if (!c->slots) {
		c->slots = old; /* the old table still works, but slower */
		return;
	}
	c->slot_bits++;
	for (size_t i = 0; i < n; i++) {
		for (struct sh_cached *e = old[i], *next; e; e = next) {
			struct sh_cached **to = slot(c, e->number);

			next = e->next;
			e->next = *to;
			*to = e;
		}
	}
	free(old);
}

void sh_slab_cache_insert(struct sh_slab_cache *c, struct sh_cached *e)
{
	struct sh_cached **to;

	if (c->n >> c->slot_bits)
		grow_slots(c);
	to = slot(c, e->number);
	e->next = *to;
	*to = e;
	c->newest->used += e->bytes;
	c->n++;
}
