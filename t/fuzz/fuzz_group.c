/* SPDX-License-Identifier: MIT */
/* Compares the groups of any graph, their sizes, weakest edges and order with slow and simple
 * definitions. Nothing depends on the order of the edges. */
#include "fuzz.h"
#include "group/group.h"

const unsigned fuzz_random = 10000;

enum { N_MAX = 60, M_MAX = 120 };

static uint32_t below(uint32_t n)
{
	return (uint32_t)rng_below(n);
}

struct graph {
	uint32_t n;
	size_t m;
	struct sh_edge edge[M_MAX];
	uint32_t rank[N_MAX];
};

static void shuffle_ranks(struct graph *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t j = below(i + 1);

		g->rank[i] = g->rank[j];
		g->rank[j] = i;
	}
}

static void random_graph(struct graph *g)
{
	bool measured = below(2);

	g->n = 1 + below(N_MAX);
	g->m = below(M_MAX);
	shuffle_ranks(g);
	for (size_t i = 0; i < g->m; i++)
		g->edge[i] = (struct sh_edge){ below(g->n), below(g->n), below(5) & SH_EDGE_NONE,
			measured ? below(10000) & SH_EDGE_NONE : SH_EDGE_NONE, 0 };
}

/* Shuffles the edges and exchanges their ends. */
static void shuffle_edges(struct graph *g)
{
	for (size_t i = 1; i < g->m; i++) {
		size_t j = below((uint32_t)i + 1);
		struct sh_edge e = g->edge[i];

		g->edge[i] = g->edge[j];
		g->edge[j] = (struct sh_edge){ e.b, e.a, e.distance, e.similarity, 0 };
	}
}

/* Spreads the lowest rank along edges until nothing changes. */
static void slow_single(const struct graph *g, uint32_t *keeper)
{
	bool changed = true;

	for (uint32_t i = 0; i < g->n; i++)
		keeper[i] = i;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < g->m; i++) {
			uint32_t *a = &keeper[g->edge[i].a], *b = &keeper[g->edge[i].b];

			if (*a == *b)
				continue;
			if (g->rank[*a] < g->rank[*b])
				*b = *a;
			else
				*a = *b;
			changed = true;
		}
	}
}

static void slow_star(const struct graph *g, uint32_t *keeper)
{
	for (uint32_t i = 0; i < g->n; i++)
		keeper[i] = UINT32_MAX;
	for (uint32_t r = 0; r < g->n; r++) {
		uint32_t centre = 0;

		while (g->rank[centre] != r)
			centre++;
		if (keeper[centre] != UINT32_MAX)
			continue;
		keeper[centre] = centre;
		for (size_t i = 0; i < g->m; i++) {
			uint32_t a = g->edge[i].a, b = g->edge[i].b;

			if (a == centre && keeper[b] == UINT32_MAX)
				keeper[b] = centre;
			if (b == centre && keeper[a] == UINT32_MAX)
				keeper[a] = centre;
		}
	}
}

typedef int group_fn(
    uint32_t *, uint32_t, const struct sh_edge *, size_t, const uint32_t *, struct sh_error *);

static int single(uint32_t *keeper, uint32_t n, const struct sh_edge *edge, size_t m,
    const uint32_t *rank, struct sh_error *err)
{
	struct sh_union u = { 0 };

	if (sh_union_link_all(&u, edge, m, err) < 0 || sh_union_grow(&u, n, err) < 0)
		return -1;
	sh_group_single(keeper, n, &u, NULL, rank, 0);
	sh_union_free(&u);
	return 0;
}

static int star(uint32_t *keeper, uint32_t n, const struct sh_edge *edge, size_t m,
    const uint32_t *rank, struct sh_error *err)
{
	return sh_group_star(keeper, n, edge, m, rank, 0, err);
}

static uint64_t ends(const struct sh_edge *e)
{
	return e->a < e->b ? (uint64_t)e->a << 32 | e->b : (uint64_t)e->b << 32 | e->a;
}

static const struct sh_edge *weakest_of(
    const struct graph *g, const uint32_t *keeper, uint32_t k, bool is_star)
{
	const struct sh_edge *w = NULL;

	for (size_t i = 0; i < g->m; i++) {
		const struct sh_edge *e = &g->edge[i];

		if (e->a == e->b || keeper[e->a] != k || keeper[e->b] != k)
			continue;
		if (is_star && e->a != k && e->b != k)
			continue;
		if (w == NULL || e->similarity < w->similarity) {
			w = e;
			continue;
		}
		if (e->similarity > w->similarity || e->distance < w->distance)
			continue;
		if (e->distance > w->distance || ends(e) < ends(w))
			w = e;
	}
	return w;
}

/* Returns whether x comes before y in the order of groups. */
static bool is_before(const uint32_t *keeper, uint32_t x, uint32_t y)
{
	if (keeper[x] != keeper[y])
		return keeper[x] < keeper[y];
	if (keeper[x] == x || keeper[y] == y)
		return keeper[x] == x;
	return x < y;
}

static void groups(
    group_fn *group, void (*slow)(const struct graph *, uint32_t *), struct graph *g, bool is_star)
{
	uint32_t keeper[N_MAX], want[N_MAX], size[N_MAX], order[N_MAX], total = 0;
	size_t weakest[N_MAX];
	struct sh_error err;

	slow(g, want);
	check(group(keeper, g->n, g->edge, g->m, g->rank, &err) == 0);
	check(memcmp(keeper, want, g->n * sizeof *keeper) == 0);
	sh_group_sizes(size, keeper, g->n);
	sh_group_weakest(weakest, keeper, g->n, g->edge, g->m, is_star);
	for (uint32_t k = 0; k < g->n; k++) {
		const struct sh_edge *w = weakest_of(g, keeper, k, is_star), *got;

		total += size[k];
		check((size[k] > 0) == (keeper[k] == k) && (size[k] > 1) == (w != NULL));
		check((w == NULL) == (weakest[k] == SIZE_MAX));
		if (w == NULL)
			continue;
		got = &g->edge[weakest[k]];
		check(got->similarity == w->similarity && got->distance == w->distance &&
		      ends(got) == ends(w));
	}
	check(total == g->n);
	check(sh_group_order(order, keeper, g->n, &err) == 0);
	for (uint32_t k = 1; k < g->n; k++)
		check(is_before(keeper, order[k - 1], order[k]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct graph g;

	fuzz_begin(data, size);
	random_graph(&g);
	for (unsigned turn = 0; turn < 2; turn++, shuffle_edges(&g)) {
		groups(single, slow_single, &g, false);
		groups(star, slow_star, &g, true);
	}
	return 0;
}
