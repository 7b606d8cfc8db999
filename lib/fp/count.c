#include "fp/count.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/siphash.h"

#define NONE UINT32_MAX

int sh_hash_count_init(struct sh_hash_count *c, struct sh_error *err)
{
	uint64_t key[2];

	*c = (struct sh_hash_count){ 0 };
	if (sh_random_key(key, err) < 0)
		return -1;
	c->key = key[0] | 1;
	return 0;
}

void sh_hash_count_free(struct sh_hash_count *c)
{
	free(c->hash);
	free(c->count);
	free(c->first);
	free(c->slots);
}

/* Room for n distinct hashes, and a table at most half full of them. */
static int make_room(struct sh_hash_count *c, size_t n, struct sh_error *err)
{
	size_t slots = 64, cap = c->cap;

	while (slots < 2 * n)
		slots *= 2;
	if (n > c->cap) {
		size_t cap2 = cap, cap3 = cap;

		if (sh_grow((void **)&c->hash, &cap, n, sizeof *c->hash, err) < 0 ||
		    sh_grow((void **)&c->count, &cap2, n, sizeof *c->count, err) < 0 ||
		    sh_grow((void **)&c->first, &cap3, n, sizeof *c->first, err) < 0)
			return -1;
		c->cap = cap;
	}
	if (slots > c->n_slots) {
		free(c->slots);
		c->n_slots = 0;
		c->slots = malloc(slots * sizeof *c->slots);
		if (!c->slots)
			return sh_error_nomem(err);
		c->n_slots = slots;
	}
	/* Only the part that this document needs is used, and cleared. */
	memset(c->slots, 0xff, slots * sizeof *c->slots);
	return (int)__builtin_ctzll(slots);
}

int sh_hash_count(struct sh_hash_count *c, const uint64_t *hash, size_t n, struct sh_error *err)
{
	int bits = make_room(c, n, err);
	size_t mask;

	if (bits < 0)
		return -1;
	mask = ((size_t)1 << bits) - 1;
	c->n = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t h = hash[i];
		size_t at = (size_t)((h ^ c->key) * c->key >> (64 - bits));

		while (c->slots[at] != NONE && c->hash[c->slots[at]] != h)
			at = (at + 1) & mask;
		if (c->slots[at] == NONE) {
			c->slots[at] = (uint32_t)c->n;
			c->hash[c->n] = h;
			c->count[c->n] = 0;
			c->first[c->n] = (uint32_t)i;
			c->n++;
		}
		c->count[c->slots[at]]++;
	}
	return 0;
}
