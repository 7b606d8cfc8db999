/* SPDX-License-Identifier: MIT */
/* A map from byte strings, the keys, to the indexes 0, 1, 2, ..., in order of insertion.
 *
 * The caller keeps the value of a key in its own array, at the index of the key. The map copies the
 * keys. Slices of keys are valid until the map is cleared or freed. The hash function is random, so
 * nobody can make keys that collide. The indexes do not depend on the hash function. */
#ifndef SH_BASE_HMAP_H
#define SH_BASE_HMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/slice.h"

struct sh_hmap {
	uint64_t hash_key[2]; /* of sh_siphash() */
	struct sh_hmap_slot *slots;
	unsigned slot_bits; /* 2^slot_bits slots, when slots is not NULL */
	char **keys;        /* by index: the key; its length is in the 4 bytes before it */
	size_t keys_cap;
	uint32_t n; /* number of keys */
	struct sh_arena arena;
};

/* Returns 0; or -1 when the system gives no random numbers. Call it before sh_hmap_put(). */
int sh_hmap_init(struct sh_hmap *m, struct sh_error *err);
void sh_hmap_free(struct sh_hmap *m);

/* Removes all keys and frees their memory. The map can be used again. */
void sh_hmap_clear(struct sh_hmap *m);

/* Sets *index and returns true when the map has the key. */
bool sh_hmap_find(const struct sh_hmap *m, struct sh_slice key, uint32_t *index);

/* Adds the key unless the map has it, and sets *index. *fresh: the key was added; fresh may be
 * NULL. Returns 0 or -1. SH_ERR_RANGE: more than 2^32-1 keys, or bytes of the key. */
int sh_hmap_put(
    struct sh_hmap *m, struct sh_slice key, uint32_t *index, bool *fresh, struct sh_error *err);

/* Puts n <= SH_HMAP_MANY keys, as sh_hmap_put() does, and stores their indexes. Faster than n calls
 * when the map does not fit in the cache: the memory of all keys is fetched at once. */
enum { SH_HMAP_MANY = 32 };
int sh_hmap_put_many(
    struct sh_hmap *m, const struct sh_slice *key, size_t n, uint32_t *index, struct sh_error *err);

/* Returns the key of an index less than m->n. */
struct sh_slice sh_hmap_key(const struct sh_hmap *m, uint32_t index);

/* Returns the allocated memory in bytes. */
size_t sh_hmap_bytes(const struct sh_hmap *m);

#endif
