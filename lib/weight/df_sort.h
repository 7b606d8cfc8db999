/* Sorts the features of several maps by their bytes, in ranges that threads can sort by
 * themselves. */
#ifndef SH_WEIGHT_DF_SORT_H
#define SH_WEIGHT_DF_SORT_H

#include "base/buf.h"
#include "base/hmap.h"

/* A feature of a map. */
struct sh_df_place {
	/* the first 8 bytes of the feature, big-endian, zeros at the end: most comparisons need no
	 * other bytes */
	uint64_t prefix;
	const char *text; /* from sh_hmap_key() */
	uint32_t index;   /* in the map */
	uint32_t map;     /* number of the map */
};

static inline struct sh_slice sh_df_text(const struct sh_df_place *p)
{
	return sh_slice(p->text, sh_hmap_key_length(p->text));
}

/* Sorts places in bytewise order of their features. The order of equal features, which are in
 * different maps, is not defined. Changes the prefixes. */
void sh_df_sort(struct sh_df_place *p, size_t n);

/* Returns all features of n maps in bytewise order, sorted by several threads. The maps should have
 * random parts of the features. The caller frees the array. Returns NULL on failure. */
struct sh_df_place *sh_df_sorted(
    const struct sh_hmap *const *map, size_t n, unsigned threads, struct sh_error *err);

struct sh_df_splitter {
	uint64_t prefix; /* as in sh_df_place */
	struct sh_slice text;
};

/* Ranges of features: range i has the features from splitter i - 1 on that are below splitter i. */
struct sh_df_ranges {
	size_t n;                        /* 0: not chosen yet */
	struct sh_buf text;              /* the texts of the splitters */
	struct sh_df_splitter *splitter; /* n - 1 elements, ascending */
};

void sh_df_ranges_free(struct sh_df_ranges *r);

/* Chooses n >= 1 ranges that divide the features of a map about evenly, from a sample. Sets r->n to
 * 1 when the map is empty. *r must be zeroed; free it also after a failure. */
int sh_df_ranges_choose(
    struct sh_df_ranges *r, size_t n, const struct sh_hmap *map, struct sh_error *err);

/* Returns an array of all features of a map, range after range; the caller frees it. Returns NULL
 * on failure. number: is stored in sh_df_place.map. Range i is start[i] .. start[i + 1] - 1.
 * start[] has r->n + 1 elements. */
struct sh_df_place *sh_df_ranges_split(const struct sh_df_ranges *r, const struct sh_hmap *map,
    uint32_t number, size_t *start, struct sh_error *err);

#endif
