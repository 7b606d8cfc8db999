/* SPDX-License-Identifier: MIT */
#include "passage/groups.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/numsort.h"

/* ---- postings ---- */

void sh_seeds_init(struct sh_sorter *seeds, size_t memory, unsigned jobs, const char *dir)
{
	*seeds = (struct sh_sorter){
		.size = SH_SEED_SIZE, .memory = memory, .threads = jobs, .dir = dir
	};
	sh_sorter_init(seeds);
}

int sh_seeds_add(struct sh_sorter *seeds, const struct sh_posting *p, struct sh_error *err)
{
	char record[SH_SEED_SIZE];

	sh_seed_pack(p, record);
	return sh_sorter_add(seeds, record, sizeof record, err);
}

int sh_seeds_each(struct sh_sorter *seeds, sh_seed_fn *each, void *arg, struct sh_error *err)
{
	struct sh_sorted sorted = { 0 };
	int status = sh_sorter_finish(seeds, SH_SEED_KEY, err);

	for (size_t range = 0; status == 0 && range < seeds->ranges; range++) {
		status = sh_sorter_load(seeds, range, &sorted, err);
		for (size_t i = 0; status == 0 && i < sorted.n; i++) {
			struct sh_posting p = sh_seed_unpack(sorted.record + i * SH_SEED_SIZE);

			status = each(arg, &p, err);
		}
	}
	sh_sorted_free(&sorted);
	return status;
}

/* ---- groups ---- */

/* The group that grows: its postings are at the end of groups->posting. */
struct growing {
	struct sh_groups *groups;
	bool within;
	uint64_t key;
	size_t first, run;
};

/* Drops the group when it is too small. */
static void end_group(struct growing *x)
{
	struct sh_groups *g = x->groups;

	if (x->within ? g->n - x->first < 2 : x->run == x->first)
		g->n = x->first;
	x->first = x->run = g->n;
}

static int add_posting(void *growing, const struct sh_posting *p, struct sh_error *err)
{
	struct growing *x = growing;
	struct sh_groups *g = x->groups;

	if (g->n > x->first && p->key != x->key)
		end_group(x);
	x->key = p->key;
	if (g->n + 1 >= UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "more than %lu seeds that documents share",
		    (unsigned long)UINT32_MAX - 1);
	if (g->n == g->cap && sh_tables_grow(g->tables, (void **)&g->posting, &g->cap, g->n + 1,
				  sizeof *g->posting, err) < 0)
		return -1;
	if (g->n > x->first && g->posting[g->n - 1].document != p->document)
		x->run = g->n;
	g->posting[g->n++] =
	    (struct sh_posting){ (uint64_t)x->first << 32 | x->run, p->document, p->token };
	return 0;
}

/* Orders the postings of each document by token. */
static int order_documents(struct sh_groups *g, uint64_t most, struct sh_error *err)
{
	uint64_t *room = malloc(2 * most * sizeof *room + 1);

	if (!room)
		return sh_error_nomem(err);
	for (size_t d = 0; d < g->documents; d++) {
		uint32_t *order = g->order + g->at[d];
		size_t n = (size_t)(g->at[d + 1] - g->at[d]);
		const uint64_t *sorted;

		for (size_t i = 0; i < n; i++)
			room[i] = (uint64_t)g->posting[order[i]].token << 32 | order[i];
		sorted = sh_numsort(room, room + most, n);
		for (size_t i = 0; i < n; i++)
			order[i] = (uint32_t)sorted[i];
	}
	free(room);
	return 0;
}

/* Lists the postings of each document. */
static int list_documents(struct sh_groups *g, struct sh_error *err)
{
	uint64_t most = 0, sum = 0;

	g->at = sh_tables_get_zeroed(g->tables, g->documents + 1, sizeof *g->at, err);
	g->order = g->at ? sh_tables_get(g->tables, g->n + 1, sizeof *g->order, err) : NULL;
	if (!g->order)
		return -1;
	for (size_t i = 0; i < g->n; i++)
		g->at[g->posting[i].document]++;
	for (size_t d = 0; d <= g->documents; d++) {
		most = g->at[d] > most ? g->at[d] : most;
		sum += g->at[d];
		g->at[d] = sum;
	}
	/* at[d] is the end of document d; filling backwards turns it into the beginning. */
	for (size_t i = g->n; i-- > 0;)
		g->order[--g->at[g->posting[i].document]] = (uint32_t)i;
	return order_documents(g, most, err);
}

int sh_groups_make(struct sh_groups *g, struct sh_tables *tables, struct sh_sorter *seeds,
    size_t documents, bool within, struct sh_error *err)
{
	struct growing x = { .groups = g, .within = within };

	*g = (struct sh_groups){ .documents = documents, .tables = tables };
	if (sh_seeds_each(seeds, add_posting, &x, err) < 0)
		return -1;
	end_group(&x);
	return list_documents(g, err);
}

void sh_groups_free(struct sh_groups *g)
{
	sh_tables_put(g->tables, g->posting);
	sh_tables_put(g->tables, g->order);
	sh_tables_put(g->tables, g->at);
	*g = (struct sh_groups){ 0 };
}

size_t sh_group_end(const struct sh_groups *g, size_t first)
{
	size_t from = first + 1, step = 1, to;

	/* Groups are stored one after the other, so `first` ascends. */
	while (from + step < g->n && sh_group_first(&g->posting[from + step]) == first) {
		from += step;
		step *= 2;
	}
	to = from + step < g->n ? from + step : g->n;
	SH_BISECT(from, to, i, sh_group_first(&g->posting[i]) == first);
	return from;
}

uint64_t sh_groups_exceeding(const struct sh_groups *g, size_t bound)
{
	uint64_t count = 0;

	for (size_t i = 0; i < g->n; i++)
		count +=
		    sh_group_first(&g->posting[i]) == i && sh_group_exceeds(g, (uint32_t)i, bound);
	return count;
}
