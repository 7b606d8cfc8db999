/* SPDX-License-Identifier: MIT */
#include "group/counts.h"

#include <stdlib.h>
#include <string.h>

#include "weight/weight.h"

enum { SINGLE_SIZES = 4 };

enum sh_counts_by sh_counts_by(const struct sh_pair_record *r)
{
	return r->coverage        ? SH_COUNTS_BY_COVERAGE
	       : r->distance >= 0 ? SH_COUNTS_BY_DISTANCE
				  : SH_COUNTS_BY_SIMILARITY;
}

int sh_counts_pair(struct sh_counts *c, const struct sh_pair_record *r, struct sh_error *err)
{
	static const char *const what[] = { "a distance", "no distance", "coverages" };

	if (sh_counts_by(r) != c->by)
		return sh_error_set(err, SH_ERR_RECORD,
		    "a pair with %s, after pairs with %s: count them apart", what[sh_counts_by(r)],
		    what[c->by]);
	if (r->distance >= SH_COUNTS_DISTANCES)
		return sh_error_set(
		    err, SH_ERR_RECORD, "a distance above %d", SH_COUNTS_DISTANCES - 1);
	c->pairs++;
	if (c->by != SH_COUNTS_BY_DISTANCE) {
		if (r->similarity >= 0)
			c->tenth[r->similarity / (SH_WEIGHT_ONE / 10)]++;
		return 0;
	}
	c->at[r->distance]++;
	if (r->similarity >= 0) {
		c->known[r->distance]++;
		c->similarity[r->distance] += ((uint64_t)r->similarity + 50) / 100;
	}
	return 0;
}

void sh_counts_group(struct sh_counts *c, struct sh_slice id, struct sh_slice keeper)
{
	c->members++;
	c->keepers += sh_slice_eq(id, keeper);
}

static void add_all(uint64_t *to, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

void sh_counts_add(struct sh_counts *c, const struct sh_counts *other)
{
	c->pairs += other->pairs;
	c->members += other->members;
	c->keepers += other->keepers;
	add_all(c->at, other->at, SH_COUNTS_DISTANCES);
	add_all(c->known, other->known, SH_COUNTS_DISTANCES);
	add_all(c->similarity, other->similarity, SH_COUNTS_DISTANCES);
	add_all(c->tenth, other->tenth, SH_COUNTS_TENTHS);
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

int sh_counts_groups(struct sh_counts *c, struct sh_union *components, struct sh_error *err)
{
	uint32_t n = components->n;
	uint32_t *size = calloc((size_t)n + 1, sizeof *size);

	if (!size)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		size[sh_union_find(components, i)]++;
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
