/* SPDX-License-Identifier: MIT */
/* A branch on whether a word of a text occurred before would be mispredicted half the time. So the
 * same instructions look up and add a hash, without a branch. Only a slot that two hashes share
 * needs a branch, which is rare because the table is sparse. */
#include "fp/count.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/siphash.h"

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
	free(c->next);
	free(c->slots);
}

/* Makes room for n hashes and empties the table by raising `base`. The table has 2 to 8 slots per
 * hash. Returns log2 of the number of slots, or -1. */
static int make_room(struct sh_hash_count *c, size_t n, struct sh_error *err)
{
	size_t slots = 64;

	while (slots < (n < 1024 ? 4 * n : 2 * n))
		slots *= 2;
	if (SH_RESERVE(c->hash, c->cap[0], n + 1, err) < 0 ||
	    SH_RESERVE(c->count, c->cap[1], n + 1, err) < 0 ||
	    SH_RESERVE(c->first, c->cap[2], n + 1, err) < 0 ||
	    SH_RESERVE(c->next, c->cap[3], n + 1, err) < 0)
		return -1;
	c->base += (uint32_t)c->n;
	if (slots > c->n_slots) {
		free(c->slots);
		c->n_slots = 0;
		c->slots = calloc(slots, sizeof *c->slots);
		if (!c->slots)
			return sh_error_nomem(err);
		c->n_slots = slots;
		c->base = 1;
	} else if (n >= UINT32_MAX - c->base) {
		memset(c->slots, 0, c->n_slots * sizeof *c->slots);
		c->base = 1;
	}
	c->n = 0;
	return __builtin_ctzll(slots);
}

/* Returns the index of h, in the list after entry `at` of its slot. When h is new, its index is *n,
 * where h has been written already; then increments *n. */
static uint32_t find_in_chain(struct sh_hash_count *c, uint64_t h, uint32_t at, uint32_t *n)
{
	while (c->next[at]) {
		at = c->next[at] - 1;
		if (c->hash[at] == h)
			return at;
	}
	c->next[at] = *n + 1;
	return (*n)++;
}

int sh_hash_count(struct sh_hash_count *c, const uint64_t *hash, size_t n, struct sh_error *err)
{
	int bits = make_room(c, n, err);
	uint32_t *slots = c->slots, *count = c->count, *first = c->first, *next = c->next;
	uint64_t *distinct = c->hash, key = c->key;
	uint32_t base = c->base, last = 0;

	if (bits < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		uint64_t h = hash[i];
		uint32_t *slot = &slots[(h ^ key) * key >> (64 - bits)];
		uint32_t at = *slot - base;
		bool fresh = at >= last;

		at = fresh ? last : at;
		*slot = base + at;
		distinct[last] = h;
		count[last] = 0;
		first[last] = (uint32_t)i;
		next[last] = 0;
		last += fresh;
		if (__builtin_expect(distinct[at] != h, 0))
			at = find_in_chain(c, h, at, &last);
		count[at]++;
	}
	c->n = last;
	return 0;
}
