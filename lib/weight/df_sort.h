/* Sorts the features of several maps by their bytes, in ranges that threads can sort by
 * themselves. */
#ifndef SH_WEIGHT_DF_SORT_H
#define SH_WEIGHT_DF_SORT_H

#include "base/buf.h"
#include "base/hmap.h"

/* A feature of a map. */
struct sh_df_place {
	/* 8 bytes of the feature, big-endian, filled with zeros: most comparisons touch no text */
	uint64_t prefix;
	const char *text; /* of sh_hmap_key() */
	uint32_t index, map;
};

static inline struct sh_slice sh_df_text(const struct sh_df_place *p)
{
	return sh_slice(p->text, sh_hmap_key_length(p->text));
}

/* Sorts places in bytewise order of their features. Equal features, which are in different maps,
 * keep no order. Changes the prefixes. */
void sh_df_sort(struct sh_df_place *p, size_t n);

struct sh_df_splitter {
	uint64_t prefix; /* as in sh_df_place */
	struct sh_slice text;
};

/* Ranges of features: range i has the features from splitter i - 1 on that are below splitter i. */
struct sh_df_ranges {
	size_t n;                        /* 0: not chosen yet */
	struct sh_buf text;              /* of the splitters */
	struct sh_df_splitter *splitter; /* n - 1 */
};

void sh_df_ranges_free(struct sh_df_ranges *r);

/* Chooses n >= 1 ranges that divide the features of a map about evenly, by a sample. */
int sh_df_ranges_choose(
    struct sh_df_ranges *r, size_t n, const struct sh_hmap *map, struct sh_error *err);

/* Stores all features of the map, which has this number, range after range: range i is start[i] ..
 * start[i + 1] - 1. start has n + 1 elements. Returns an array that must be freed, or NULL with
 * *err. */
struct sh_df_place *sh_df_ranges_split(const struct sh_df_ranges *r, const struct sh_hmap *map,
    uint32_t number, size_t *start, struct sh_error *err);

#endif
