#include "group/counts.h"

#include <stdlib.h>
#include <string.h>

#include "weight/weight.h"

enum { SINGLE_SIZES = 4 };

int sh_counts_init(struct sh_counts *c, struct sh_error *err)
{
	*c = (struct sh_counts){ 0 };
	sh_union_init(&c->components, NULL);
	return sh_hmap_init(&c->ids, err);
}

void sh_counts_free(struct sh_counts *c)
{
	sh_hmap_free(&c->ids);
	sh_union_free(&c->components);
}

static int link_ids(struct sh_counts *c, struct sh_slice x, struct sh_slice y, struct sh_error *err)
{
	uint32_t a, b;

	if (sh_hmap_put(&c->ids, x, &a, NULL, err) < 0 ||
	    sh_hmap_put(&c->ids, y, &b, NULL, err) < 0 ||
	    sh_union_grow(&c->components, c->ids.n, err) < 0)
		return -1;
	sh_union_link(&c->components, a, b);
	return 0;
}

int sh_counts_pair(struct sh_counts *c, const struct sh_pair_record *r, struct sh_error *err)
{
	if (r->distance >= SH_COUNTS_DISTANCES)
		return sh_error_set(
		    err, SH_ERR_RECORD, "a distance above %d", SH_COUNTS_DISTANCES - 1);
	if (c->pairs && r->coverage != c->coverage)
		return sh_error_set(err, SH_ERR_RECORD,
		    "pairs with coverages (shspan --pairs) and pairs with distances in one input");
	if (link_ids(c, r->id1, r->id2, err) < 0)
		return -1;
	c->pairs++;
	c->coverage = r->coverage;
	if (r->coverage) {
		c->covered[r->similarity / (SH_WEIGHT_ONE / 10)]++;
		return 0;
	}
	c->at[r->distance]++;
	if (r->similarity >= 0) {
		c->known[r->distance]++;
		c->similarity[r->distance] += ((uint64_t)r->similarity + 50) / 100;
	}
	return 0;
}

int sh_counts_group(
    struct sh_counts *c, struct sh_slice id, struct sh_slice keeper, struct sh_error *err)
{
	c->members++;
	c->keepers += id.n == keeper.n && memcmp(id.p, keeper.p, id.n) == 0;
	return link_ids(c, id, keeper, err);
}

unsigned sh_counts_row(uint32_t size)
{
	unsigned bits;

	if (size <= SINGLE_SIZES)
		return size - 1;
	bits = 31 - (unsigned)__builtin_clz(size - 1); /* size 5 to 8: bits is 2 */
	return SINGLE_SIZES + bits - 2;
}

void sh_counts_sizes(unsigned row, uint32_t *from, uint32_t *to)
{
	if (row < SINGLE_SIZES) {
		*from = *to = row + 1;
		return;
	}
	*from = (UINT32_C(1) << (row - SINGLE_SIZES + 2)) + 1;
	*to = row - SINGLE_SIZES + 3 < 32 ? UINT32_C(1) << (row - SINGLE_SIZES + 3) : UINT32_MAX;
}

int sh_counts_groups(struct sh_counts *c, struct sh_error *err)
{
	uint32_t n = c->ids.n;
	uint32_t *size = calloc((size_t)n + 1, sizeof *size);

	if (!size)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		size[sh_union_find(&c->components, i)]++;
	for (uint32_t i = 0; i < n; i++) {
		if (size[i] < 2)
			continue;
		c->groups++;
		c->documents += size[i];
		c->of_size[sh_counts_row(size[i])]++;
		if (size[i] > c->largest)
			c->largest = size[i];
	}
	free(size);
	return 0;
}
