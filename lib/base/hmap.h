/* A map from byte strings of any origin to 0, 1, 2, ... in order of first insertion.
 *
 * What belongs to a key (a count, a parent) lives in the caller's own array, under
 * the key's index. Keys are copied and never move: their slices stay valid until
 * clear or free. Hashing is keyed and random, so hostile keys cannot pile up; the
 * order of indexes depends on the insertions alone. */
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
	unsigned slot_bits; /* 2^slot_bits slots, once there are any */
	char **keys;        /* by index; each points behind its 4-byte length */
	size_t keys_cap;
	uint32_t n; /* keys held */
	struct sh_arena arena;
};

/* Fails only when the system has no random numbers. */
int sh_hmap_init(struct sh_hmap *m, struct sh_error *err);
void sh_hmap_free(struct sh_hmap *m);

/* Forget all keys. Memory beyond a few pages is given back. */
void sh_hmap_clear(struct sh_hmap *m);

bool sh_hmap_find(const struct sh_hmap *m, struct sh_slice key, uint32_t *index);

/* Find the key, or add a copy of it; *fresh tells which. fresh may be NULL.
 * SH_ERR_RANGE: more than 2^32-1 keys, or a key of 2^32 bytes. */
int sh_hmap_put(
    struct sh_hmap *m, struct sh_slice key, uint32_t *index, bool *fresh, struct sh_error *err);

/* index < m->n */
struct sh_slice sh_hmap_key(const struct sh_hmap *m, uint32_t index);

/* Memory held, in bytes: what a limit is compared with. */
size_t sh_hmap_bytes(const struct sh_hmap *m);

#endif
