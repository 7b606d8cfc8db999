/* SPDX-License-Identifier: MIT */
#include "group/group.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

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

static uint32_t rank_of(const uint32_t *rank, uint32_t node)
{
	return rank ? rank[node] : node;
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

/* Computes the nodes in rank order: order[rank[i]] = i. Returns -1 when rank is not a
 * permutation. */
static int rank_order(uint32_t *order, uint32_t n, const uint32_t *rank, struct sh_error *err)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = NOBODY;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t r = rank_of(rank, i);

		if (r >= n || order[r] != NOBODY)
			return sh_error_set(err, SH_ERR_PARAM,
			    "ranks must be the numbers 0 to %u, each once", (unsigned)(n - 1));
		order[r] = i;
	}
	return 0;
}

/* Neighbours of each node, in compressed rows: node i has to[start[i] .. start[i+1]-1]. */
struct rows {
	size_t *start;
	uint32_t *to;
};

static int rows_init(
    struct rows *r, uint32_t n, const struct sh_edge *edge, size_t m, struct sh_error *err)
{
	r->start = calloc((size_t)n + 2, sizeof *r->start);
	r->to = malloc(2 * m * sizeof *r->to + 1);
	if (r->start == NULL || r->to == NULL)
		return sh_error_nomem(err);
	/* Counts are stored two elements ahead, so that after filling each start is correct. */
	for (size_t i = 0; i < m; i++) {
		r->start[(size_t)edge[i].a + 2]++;
		r->start[(size_t)edge[i].b + 2]++;
	}
	for (size_t i = 2; i < (size_t)n + 2; i++)
		r->start[i] += r->start[i - 1];
	for (size_t i = 0; i < m; i++) {
		r->to[r->start[(size_t)edge[i].a + 1]++] = edge[i].b;
		r->to[r->start[(size_t)edge[i].b + 1]++] = edge[i].a;
	}
	return 0;
}

static void assign_stars(
    uint32_t fixed, uint32_t *keeper, uint32_t n, const struct rows *r, const uint32_t *order)
{
	for (uint32_t i = 0; i < n; i++)
		keeper[order[i]] = i < fixed ? order[i] : NOBODY;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t centre = order[i];

		if (keeper[centre] != NOBODY && keeper[centre] != centre)
			continue;
		keeper[centre] = centre;
		for (size_t e = r->start[centre]; e < r->start[(size_t)centre + 1]; e++)
			if (keeper[r->to[e]] == NOBODY)
				keeper[r->to[e]] = centre;
	}
}

int sh_group_star(uint32_t *keeper, uint32_t n, const struct sh_edge *edge, size_t m,
    const uint32_t *rank, uint32_t fixed, struct sh_error *err)
{
	struct rows r = { 0 };
	uint32_t *order = malloc(n * sizeof *order + 1);
	int status = order ? rank_order(order, n, rank, err) : sh_error_nomem(err);

	if (status == 0)
		status = rows_init(&r, n, edge, m, err);
	if (status == 0)
		assign_stars(fixed, keeper, n, &r, order);
	free(order);
	free(r.start);
	free(r.to);
	return status;
}

/* Stores all keepers, or all other nodes, where their groups have room. */
static void order_some(
    uint32_t *order, const uint32_t *keeper, uint32_t n, size_t *next, bool keepers)
{
	for (uint32_t i = 0; i < n; i++)
		if ((keeper[i] == i) == keepers)
			order[next[keeper[i]]++] = i;
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
	order_some(order, keeper, n, next, true);
	order_some(order, keeper, n, next, false);
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
