/* A cache of entries, by number. An entry is a struct that begins with struct sh_cached.
 *
 * Entries lie one after the other in slabs: first a small slab, which suffices for few entries,
 * then large ones. A full cache drops the oldest slab with all its entries. */
#ifndef SH_GROUP_SLABCACHE_H
#define SH_GROUP_SLABCACHE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* The head of an entry. */
struct sh_cached {
	uint64_t number;
	struct sh_cached *next; /* next entry of the same slot */
	size_t bytes;           /* of the whole entry, a multiple of 8 */
};

struct sh_slab;

struct sh_slab_cache {
	uint64_t dropped; /* number of slabs dropped so far; their entries are invalid */

	/* Private. */
	struct sh_cached **slots;
	unsigned slot_bits;
	struct sh_slab *newest, *oldest;
	size_t memory, n, n_slabs, bytes;
};

/* memory: bytes of all slabs. The cache keeps at least three slabs of 128 KiB. A larger entry has
 * its own slab. */
int sh_slab_cache_init(struct sh_slab_cache *c, size_t memory, struct sh_error *err);
/* A zeroed cache may be freed. */
void sh_slab_cache_free(struct sh_slab_cache *c);

/* Returns the entry of a number, or NULL. */
struct sh_cached *sh_slab_cache_find(const struct sh_slab_cache *c, uint64_t number);

/* Returns memory for an entry of this number of bytes, aligned for 64 bits. The caller fills it and
 * inserts it before any other call. Returns NULL when memory is short. Slabs may be dropped, but
 * not the two newest ones: they may hold the two entries that the caller compares. */
void *sh_slab_cache_room(struct sh_slab_cache *c, size_t bytes, struct sh_error *err);
void sh_slab_cache_insert(struct sh_slab_cache *c, struct sh_cached *e);

#endif
