/* SPDX-License-Identifier: MIT */
#include "group/group.h"

#include <stdlib.h>
#include <string.h>

#include "io/sorter.h"

#define NOBODY UINT32_MAX

/* ---- ids ---- */

void sh_idset_free(struct sh_idset *s)
{
	sh_hmap_free(&s->ids);
	free(s->handle);
	free(s->number);
	*s = (struct sh_idset){ 0 };
}

static int number_all(struct sh_idset *s, const struct sh_sorter *sorter, struct sh_error *err)
{
	struct sh_sorted sorted = { 0 };
	struct sh_slice record;
	uint32_t n = 0, handle;
	int status = 0;

	for (size_t i = 0; status == 0 && i < sorter->ranges; i++) {
		status = sh_sorter_load(sorter, i, &sorted, err);
		while (status == 0 && sh_sorted_next(&sorted, &record)) {
			memcpy(&handle, record.p + record.n - sizeof handle, sizeof handle);
			s->number[handle] = n;
			s->handle[n++] = handle;
		}
	}
	sh_sorted_free(&sorted);
	return status;
}

int sh_idset_sort(struct sh_idset *s, unsigned threads, struct sh_error *err)
{
	struct sh_sorter sorter = {
		.tail = sizeof(uint32_t), .memory = SIZE_MAX, .threads = threads
	};
	int status = 0;

	s->n = s->ids.n;
	s->handle = malloc((size_t)s->n * sizeof *s->handle + 1);
	s->number = malloc((size_t)s->n * sizeof *s->number + 1);
	if (!s->handle || !s->number)
		return sh_error_nomem(err);
	sh_sorter_init(&sorter);
	for (uint32_t i = 0; status == 0 && i < s->n; i++)
		status = sh_sorter_add(
		    &sorter, sh_hmap_key(&s->ids, i), sh_slice((const char *)&i, sizeof i), err);
	if (status == 0)
		status = sh_sorter_finish(&sorter, SIZE_MAX, err);
	if (status == 0)
		status = number_all(s, &sorter, err);
	sh_sorter_free(&sorter);
	return status;
}

bool sh_idset_find(const struct sh_idset *s, struct sh_slice id, uint32_t *number)
{
	uint32_t handle;

	if (!sh_hmap_find(&s->ids, id, &handle))
		return false;
	*number = s->number[handle];
	return true;
}

/* ---- components ---- */

void sh_union_free(struct sh_union *u)
{
	free(u->parent);
	*u = (struct sh_union){ 0 };
}

int sh_union_grow(struct sh_union *u, uint32_t n, struct sh_error *err)
{
	if (n > u->cap) {
		uint64_t cap = (uint64_t)u->cap + u->cap / 2 + 64;
		uint32_t *parent;

		cap = cap < n ? n : cap > UINT32_MAX ? UINT32_MAX : cap;
		parent = realloc(u->parent, (size_t)cap * sizeof *parent);
		if (parent == NULL)
			return sh_error_nomem(err);
		u->parent = parent;
		u->cap = (uint32_t)cap;
	}
	for (; u->n < n; u->n++)
		u->parent[u->n] = u->n;
	return 0;
}

uint32_t sh_union_find(struct sh_union *u, uint32_t node)
{
	while (u->parent[node] != node)
		node = u->parent[node] = u->parent[u->parent[node]];
	return node;
}

/* The root is always the lowest node, whatever the sizes of the components. Path halving alone
 * keeps finds logarithmic on average. */
void sh_union_link(struct sh_union *u, uint32_t a, uint32_t b)
{
	uint32_t ra = sh_union_find(u, a), rb = sh_union_find(u, b);

	u->parent[ra < rb ? rb : ra] = ra < rb ? ra : rb;
}

int sh_union_link_all(
    struct sh_union *u, const struct sh_edge *edge, size_t n, struct sh_error *err)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t last = edge[i].a > edge[i].b ? edge[i].a : edge[i].b;

		if (sh_union_grow(u, last + 1, err) < 0)
			return -1;
		sh_union_link(u, edge[i].a, edge[i].b);
	}
	return 0;
}

/* ---- groups ---- */

static uint32_t rank_of(const uint32_t *rank, uint32_t node)
{
	return rank ? rank[node] : node;
}

static uint32_t better_end(const struct sh_edge *e, const uint32_t *rank)
{
	return rank_of(rank, e->a) < rank_of(rank, e->b) ? e->a : e->b;
}

/* The entry of a component's root holds its best node while it is searched. */
void sh_group_single(uint32_t *keeper, uint32_t n, struct sh_union *u, const uint32_t *number,
    const uint32_t *rank, uint32_t fixed)
{
	for (uint32_t i = 0; i < n; i++)
		keeper[i] = NOBODY;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t root = rank_of(number, sh_union_find(u, i)), node = rank_of(number, i);

		if (keeper[root] == NOBODY || rank_of(rank, node) < rank_of(rank, keeper[root]))
			keeper[root] = node;
	}
	for (uint32_t i = 0; i < n; i++)
		keeper[rank_of(number, i)] = keeper[rank_of(number, sh_union_find(u, i))];
	for (uint32_t i = 0; i < n; i++)
		if (rank_of(rank, i) < fixed)
			keeper[i] = i;
}

/* The worse neighbours of node i are worse[start[i] .. start[i + 1] - 1]. */
int sh_group_star(uint32_t *keeper, uint32_t n, const struct sh_edge *edge, size_t m,
    const uint32_t *rank, uint32_t fixed, struct sh_error *err)
{
	uint32_t *order = malloc((size_t)n * sizeof *order + 1);
	size_t *start = calloc((size_t)n + 2, sizeof *start);
	uint32_t *worse = malloc(m * sizeof *worse + 1);
	int status = order && start && worse ? 0 : sh_error_nomem(err);

	/* Counts are stored two elements ahead, so that after filling each start is correct. */
	for (size_t i = 0; status == 0 && i < m; i++)
		start[(size_t)better_end(&edge[i], rank) + 2]++;
	for (size_t i = 2; status == 0 && i < (size_t)n + 2; i++)
		start[i] += start[i - 1];
	for (size_t i = 0; status == 0 && i < m; i++) {
		uint32_t better = better_end(&edge[i], rank);

		worse[start[(size_t)better + 1]++] = edge[i].a ^ edge[i].b ^ better;
	}
	for (uint32_t i = 0; status == 0 && i < n; i++) {
		order[rank_of(rank, i)] = i;
		keeper[i] = rank_of(rank, i) < fixed ? i : NOBODY;
	}
	for (uint32_t i = 0; status == 0 && i < n; i++) {
		uint32_t centre = order[i];

		if (keeper[centre] != NOBODY && keeper[centre] != centre)
			continue;
		keeper[centre] = centre;
		for (size_t k = start[centre]; k < start[(size_t)centre + 1]; k++)
			if (keeper[worse[k]] == NOBODY)
				keeper[worse[k]] = centre;
	}
	free(order);
	free(start);
	free(worse);
	return status;
}

int sh_group_order(uint32_t *order, const uint32_t *keeper, uint32_t n, struct sh_error *err)
{
	size_t *next = calloc((size_t)n + 1, sizeof *next);

	if (!next)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		next[(size_t)keeper[i] + 1]++;
	for (uint32_t i = 0; i < n; i++)
		next[(size_t)i + 1] += next[i];
	for (uint32_t i = 0; i < n; i++)
		if (keeper[i] == i)
			order[next[i]++] = i;
	for (uint32_t i = 0; i < n; i++)
		if (keeper[i] != i)
			order[next[keeper[i]]++] = i;
	free(next);
	return 0;
}

void sh_group_sizes(uint32_t *size, const uint32_t *keeper, uint32_t n)
{
	memset(size, 0, (size_t)n * sizeof *size);
	for (uint32_t i = 0; i < n; i++)
		size[keeper[i]]++;
}

/* Compares two edges; negative when x is weaker. A known similarity decides, then the distance,
 * then the ends. */
static int weaker(const struct sh_edge *x, const struct sh_edge *y)
{
	uint32_t xlow = x->a < x->b ? x->a : x->b, ylow = y->a < y->b ? y->a : y->b;

	if (x->similarity != y->similarity)
		return x->similarity < y->similarity;
	if (x->distance != y->distance)
		return x->distance > y->distance;
	if (xlow != ylow)
		return xlow < ylow;
	return (x->a ^ x->b ^ xlow) < (y->a ^ y->b ^ ylow);
}

void sh_group_weakest(size_t *weakest, const uint32_t *keeper, uint32_t n,
    const struct sh_edge *edge, size_t m, int star)
{
	for (uint32_t i = 0; i < n; i++)
		weakest[i] = SIZE_MAX;
	for (size_t i = 0; i < m; i++) {
		uint32_t k = keeper[edge[i].a];

		if (edge[i].a == edge[i].b || k != keeper[edge[i].b])
			continue;
		if (star && edge[i].a != k && edge[i].b != k)
			continue;
		if (weakest[k] == SIZE_MAX || weaker(&edge[i], &edge[weakest[k]]))
			weakest[k] = i;
	}
}
