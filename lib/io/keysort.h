/* Sorts the keys of several maps by their bytes, in ranges that threads can sort by themselves. */
#ifndef SH_IO_KEYSORT_H
#define SH_IO_KEYSORT_H

#include "base/buf.h"
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

/* Sorts places in bytewise order of their keys. The order of equal keys, which are in
 * different maps, is not defined. Changes the prefixes. */
void sh_keysort(struct sh_keysort_place *p, size_t n);

/* Returns all keys of n maps in bytewise order, sorted by several threads. The maps should have
 * random parts of the keys. The caller frees the array. Returns NULL on failure. */
struct sh_keysort_place *sh_keysort_maps(
    const struct sh_hmap *const *map, size_t n, unsigned threads, struct sh_error *err);

struct sh_keysort_splitter {
	uint64_t prefix; /* as in sh_keysort_place */
	struct sh_slice text;
};

/* Ranges of keys: range i has the keys from splitter i - 1 on that are below splitter i. */
struct sh_keysort_ranges {
	size_t n;                             /* 0: not chosen yet */
	struct sh_buf text;                   /* the texts of the splitters */
	struct sh_keysort_splitter *splitter; /* n - 1 elements, ascending */
};

void sh_keysort_ranges_free(struct sh_keysort_ranges *r);

/* Chooses n >= 1 ranges that divide the keys of a map about evenly, from a sample. Sets r->n to
 * 1 when the map is empty. *r must be zeroed; free it also after a failure. */
int sh_keysort_ranges_choose(
    struct sh_keysort_ranges *r, size_t n, const struct sh_hmap *map, struct sh_error *err);

/* Returns an array of all keys of a map, range after range; the caller frees it. Returns NULL
 * on failure. number: is stored in sh_keysort_place.map. Range i is start[i] .. start[i + 1] - 1.
 * start[] has r->n + 1 elements. */
struct sh_keysort_place *sh_keysort_ranges_split(const struct sh_keysort_ranges *r,
    const struct sh_hmap *map, uint32_t number, size_t *start, struct sh_error *err);

#endif
