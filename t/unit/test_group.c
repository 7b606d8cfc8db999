/* SPDX-License-Identifier: MIT */
/* Compares groups of random graphs with slow and simple definitions. */
#include "group/group.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

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

static void random_groups(const char *name, group_fn *group,
    void (*slow)(const struct graph *, uint32_t *), unsigned cases)
{
	unsigned wrong = 0, unstable = 0;
	struct sh_error err;

	for (unsigned i = 0; i < cases; i++) {
		struct graph g;
		uint32_t got[N_MAX], want[N_MAX], again[N_MAX];

		random_graph(&g);
		slow(&g, want);
		wrong += group(got, g.n, g.edge, g.m, g.rank, &err) != 0 ||
			 memcmp(got, want, g.n * sizeof *got) != 0;
		shuffle_edges(&g);
		unstable += group(again, g.n, g.edge, g.m, g.rank, &err) != 0 ||
			    memcmp(got, again, g.n * sizeof *got) != 0;
	}
	ok(wrong == 0, "%s: groups of %u random graphs follow the definition", name, cases);
	ok(unstable == 0, "%s: groups do not depend on the order of pairs and ends", name);
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

static void audit(unsigned cases)
{
	unsigned sizes = 0, weak = 0, unstable = 0;
	struct sh_error err;

	for (unsigned i = 0; i < cases; i++) {
		struct graph g;
		uint32_t keeper[N_MAX], size[N_MAX], total = 0;
		size_t weakest[N_MAX], again[N_MAX];
		uint64_t was[N_MAX] = { 0 };
		bool is_star = i % 2;

		random_graph(&g);
		if ((is_star ? star : single)(keeper, g.n, g.edge, g.m, g.rank, &err) < 0)
			sizes++;
		sh_group_sizes(size, keeper, g.n);
		sh_group_weakest(weakest, keeper, g.n, g.edge, g.m, is_star);
		for (uint32_t k = 0; k < g.n; k++) {
			const struct sh_edge *w = weakest_of(&g, keeper, k, is_star);

			total += size[k];
			sizes += (size[k] > 0) != (keeper[k] == k);
			weak += (w == NULL) != (weakest[k] == SIZE_MAX);
			weak += (size[k] > 1) != (w != NULL);
			if (w == NULL || weakest[k] == SIZE_MAX)
				continue;
			weak += g.edge[weakest[k]].similarity != w->similarity ||
				g.edge[weakest[k]].distance != w->distance ||
				ends(&g.edge[weakest[k]]) != ends(w);
			was[k] = ends(&g.edge[weakest[k]]);
		}
		sizes += total != g.n;
		shuffle_edges(&g);
		sh_group_weakest(again, keeper, g.n, g.edge, g.m, is_star);
		for (uint32_t k = 0; k < g.n; k++)
			if (again[k] != SIZE_MAX)
				unstable += ends(&g.edge[again[k]]) != was[k];
	}
	ok(sizes == 0,
	    "sizes of groups stand at the keepers, and their sum is the number of nodes");
	ok(weak == 0, "the weakest edge has the lowest similarity of its group, otherwise the "
		      "largest distance");
	ok(unstable == 0, "the weakest edge does not depend on the order of the edges");
}

static void growing(void)
{
	const uint32_t n = 300000;
	struct sh_union u = { 0 };
	struct sh_error err;
	bool one = true;

	ok(sh_union_grow(&u, 1, &err) == 0 && sh_union_find(&u, 0) == 0,
	    "one node is a group of one");
	/* A chain linked from its far end: the worst case for recursion and for long paths. */
	ok(sh_union_grow(&u, n, &err) == 0, "a graph grows to %u nodes", (unsigned)n);
	for (uint32_t i = n - 1; i > 0; i--)
		sh_union_link(&u, i, i - 1);
	for (uint32_t i = 0; i < n; i++)
		one &= sh_union_find(&u, i) == 0;
	ok(one, "a chain of %u nodes is one group, whose keeper is the first node", (unsigned)n);
	ok(sh_union_grow(&u, n + 1, &err) == 0 && sh_union_find(&u, n) == n &&
		sh_union_find(&u, 5) == 0,
	    "a graph that grows keeps its groups");
	sh_union_free(&u);
}

static void examples(void)
{
	/* 0-1-2-3 in a row: single links all, a star reaches one step. */
	const struct sh_edge chain[] = { { 0, 1, 1, SH_EDGE_NONE, 0 }, { 1, 2, 3, SH_EDGE_NONE, 0 },
		{ 2, 3, 2, SH_EDGE_NONE, 0 } };
	const uint32_t third_first[] = { 3, 1, 0, 2 };
	uint32_t k[4];
	size_t weak[4];
	struct sh_error err;

	ok(single(k, 4, chain, 3, NULL, &err) == 0 && k[0] == 0 && k[1] == 0 && k[2] == 0 &&
		k[3] == 0,
	    "single: a chain is one group");
	sh_group_weakest(weak, k, 4, chain, 3, 0);
	ok(weak[0] == 1 && weak[1] == SIZE_MAX,
	    "single: the weakest edge of a chain is the one at distance 3");
	ok(star(k, 4, chain, 3, NULL, &err) == 0 && k[1] == 0 && k[2] == 2 && k[3] == 2,
	    "star: a chain of four is two groups");
	ok(star(k, 4, chain, 3, third_first, &err) == 0 && k[0] == 0 && k[1] == 2 && k[2] == 2 &&
		k[3] == 2,
	    "star: the rank decides the keeper");
	ok(single(k, 0, NULL, 0, NULL, &err) == 0 && star(k, 0, NULL, 0, NULL, &err) == 0,
	    "a graph without nodes has no groups");
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

static void orders(unsigned cases)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < cases; i++) {
		struct graph g;
		struct sh_error err;
		uint32_t keeper[N_MAX], order[N_MAX];

		random_graph(&g);
		shuffle_ranks(&g);
		wrong += single(keeper, g.n, g.edge, g.m, g.rank, &err) < 0 ||
			 sh_group_order(order, keeper, g.n, &err) < 0;
		for (uint32_t k = 1; k < g.n; k++)
			wrong += !is_before(keeper, order[k - 1], order[k]);
	}
	ok(wrong == 0, "groups come in the order of their keepers: %u random graphs", cases);
}

int main(int argc, char **argv)
{
	unsigned cases = argc > 1 ? (unsigned)atoi(argv[1]) : 10000;

	rng_init(20240609);
	random_groups("single", single, slow_single, cases);
	random_groups("star", star, slow_star, cases);
	audit(cases);
	orders(cases);
	growing();
	examples();
	return done_testing();
}
