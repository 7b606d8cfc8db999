/* SPDX-License-Identifier: MIT */
/* Compares the groups of any graph with their definition. */
#include "fuzz.h"

#include "../unit/test_group.c"

static void same(group_fn *group, void (*slow)(const struct graph *, uint32_t *), struct graph *g)
{
	uint32_t got[N_MAX], want[N_MAX];
	struct sh_error err;

	slow(g, want);
	check(group(got, g->n, g->edge, g->m, g->rank, &err) == 0);
	check(memcmp(got, want, g->n * sizeof *got) == 0);
	shuffle_edges(g);
	check(group(got, g->n, g->edge, g->m, g->rank, &err) == 0);
	check(memcmp(got, want, g->n * sizeof *got) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct graph g;

	fuzz_begin(data, size);
	random_graph(&g);
	same(single, slow_single, &g);
	same(star, slow_star, &g);
	return 0;
}
