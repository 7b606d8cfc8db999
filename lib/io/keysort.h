/* SPDX-License-Identifier: MIT */
/* Sorts the keys of several maps by their bytes, by several threads. */
#ifndef SH_IO_KEYSORT_H
#define SH_IO_KEYSORT_H

#include "base/hmap.h"

/* A key of a map. */
struct sh_keysort_place {
	/* the first 8 bytes of the key, big-endian, zeros at the end: most comparisons need no
	 * other bytes */
	uint64_t prefix;
	const char *text; /* from sh_hmap_key() */
	uint32_t index;   /* in the map */
	uint32_t map;     /* number of the map */
};

static inline struct sh_slice sh_keysort_text(const struct sh_keysort_place *p)
{
	return sh_slice(p->text, sh_hmap_key_length(p->text));
}

/* Returns all keys of n maps in bytewise order, sorted by several threads. The maps should have
 * random parts of the keys. The caller frees the array. Returns NULL on failure. */
struct sh_keysort_place *sh_keysort_maps(
    const struct sh_hmap *const *map, size_t n, unsigned threads, struct sh_error *err);

#endif
