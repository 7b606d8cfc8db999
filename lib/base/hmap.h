/* A map from byte strings to 0, 1, 2, ..., in order of first insertion.
 *
 * The caller keeps the values of keys in its own arrays, at the indexes of the keys. Keys are copied and
 * never move: their slices are valid until the map is cleared or freed. The hash has a random key, so hostile
 * strings cannot be made to collide. The indexes do not depend on the hash. */
#ifndef SH_BASE_HMAP_H
#define SH_BASE_HMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/slice.h"

struct sh_hmap {
	uint64_t hash_key[2];
	struct sh_hmap_slot *slots;
	unsigned slot_bits; /* 2^slot_bits slots, when slots is not NULL */
	char **keys;        /* by index: the key, behind its length of 4 bytes */
	size_t keys_cap;
	uint32_t n; /* number of keys */
	struct sh_arena arena;
};

/* Fails only when the system has no random numbers. */
int sh_hmap_init(struct sh_hmap *m, struct sh_error *err);
void sh_hmap_free(struct sh_hmap *m);

/* Removes all keys. Frees memory beyond a few pages. */
void sh_hmap_clear(struct sh_hmap *m);

/* Returns whether the map has the key, and then sets *index. */
bool sh_hmap_find(const struct sh_hmap *m, struct sh_slice key, uint32_t *index);

/* Sets *index to the index of the key. Adds a copy of the key when it is new, and sets *fresh to whether it
 * was. fresh may be NULL. Returns 0 or -1. SH_ERR_RANGE: the map has 2^32-1 keys, or the key has 2^32 bytes. */
int sh_hmap_put(
    struct sh_hmap *m, struct sh_slice key, uint32_t *index, bool *fresh, struct sh_error *err);

/* Returns the key with this index, which must be less than m->n. */
struct sh_slice sh_hmap_key(const struct sh_hmap *m, uint32_t index);

/* Returns the allocated memory in bytes. */
size_t sh_hmap_bytes(const struct sh_hmap *m);

#endif
