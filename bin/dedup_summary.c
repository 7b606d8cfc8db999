/* SPDX-License-Identifier: MIT */
/* The sizes of groups, and the summary. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compare.h"
#include "dedup.h"
#include "io/parallel.h"

static uint32_t archived_keeper(const struct dedup_state *s, uint32_t document)
{
	return dedup_archive_keeper(s, document);
}

static int by_archived_keeper(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t p = archived_keeper(arg, x), q = archived_keeper(arg, y);

	return p != q ? sh_compare(p, q) : sh_compare(x, y);
}

/* Counts the groups of archived documents. The documents of this run that are duplicates of one
 * archived document are a group with it: size[] of the first of them is the size of the group. */
static void count_archived(struct dedup_state *s, uint32_t *size)
{
	uint32_t *order, n = 0;
	struct sh_error err;

	if (!s->settings->archive.dir)
		return;
	order = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *order, &err);
	if (!order)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (dedup_archive_drops(s, i))
			order[n++] = i;
	qsort_r(order, n, sizeof *order, by_archived_keeper, s);
	for (uint32_t i = 0, first = 0; i < n; i++) {
		if (archived_keeper(s, order[i]) != archived_keeper(s, order[first]))
			first = i;
		size[order[i]] = 0;
		size[order[first]] = i - first + 2;
	}
	sh_tables_put(&s->tables, order);
}

struct counting {
	const struct dedup_state *state;
	struct dedup_groups *groups;
	pthread_mutex_t lock; /* of `groups`, but not of its sizes */
};

static void count_keepers(void *arg, size_t from, size_t to)
{
	const struct counting *c = arg;

	for (size_t i = from; i < to; i++)
		c->groups->size[i] = sh_engine_keeper(c->state->engine, (uint32_t)i) == i;
}

static void count_members(void *arg, size_t from, size_t to)
{
	const struct counting *c = arg;

	for (size_t i = from; i < to; i++) {
		uint32_t keeper = sh_engine_keeper(c->state->engine, (uint32_t)i);

		if (keeper != i && keeper < c->state->corpus.n)
			__atomic_fetch_add(&c->groups->size[keeper], 1, __ATOMIC_RELAXED);
	}
}

/* Of groups of one size, the first one is the largest. */
static void sum_up(void *arg, size_t from, size_t to)
{
	struct counting *c = arg;
	struct dedup_groups *g = c->groups, of = { .largest = (uint32_t)from };
	const uint32_t *size = g->size;

	for (uint32_t i = (uint32_t)from; i < to; i++) {
		of.dropped += !dedup_stays(c->state, i);
		of.n += size[i] > 1;
		if (size[i] > size[of.largest])
			of.largest = i;
	}
	pthread_mutex_lock(&c->lock);
	g->dropped += of.dropped;
	g->n += of.n;
	if (size[of.largest] > size[g->largest] ||
	    (size[of.largest] == size[g->largest] && of.largest < g->largest))
		g->largest = of.largest;
	pthread_mutex_unlock(&c->lock);
}

void dedup_count_groups(struct dedup_state *s, struct dedup_groups *g)
{
	struct counting c = { s, g, PTHREAD_MUTEX_INITIALIZER };
	unsigned jobs = s->cli->jobs;
	size_t n = s->corpus.n;
	struct sh_error err;

	*g = (struct dedup_groups){ .size =
					sh_tables_get(&s->tables, n + 1, sizeof *g->size, &err) };
	if (!g->size || sh_parallel_each(jobs, n, count_keepers, &c, &err) < 0 ||
	    sh_parallel_each(jobs, n, count_members, &c, &err) < 0)
		cli_die(s->cli, &err);
	count_archived(s, g->size);
	if (sh_parallel_each(jobs, n, sum_up, &c, &err) < 0)
		cli_die(s->cli, &err);
}

void dedup_free_groups(struct dedup_state *s, struct dedup_groups *g)
{
	sh_tables_put(&s->tables, g->size);
}

void dedup_summarise(const struct dedup_state *s, const struct dedup_groups *g)
{
	const struct sh_engine_stats *t = sh_engine_stats(s->engine);

	if (s->settings->quiet)
		return;
	cli_warn(s->cli,
	    "%llu document%s, %llu stay, %llu dropped%s; %llu with the tokens of another, "
	    "%llu pair%s compared, %llu similar; %llu group%s, largest %u; %llu without tokens; "
	    "%.1f s",
	    (unsigned long long)t->documents, CLI_PLURAL(t->documents),
	    (unsigned long long)(t->documents - g->dropped), (unsigned long long)g->dropped,
	    s->settings->dry_run  ? " (dry run)"
	    : s->settings->mark.n ? " (marked)"
				  : "",
	    (unsigned long long)t->copies, (unsigned long long)t->compared, CLI_PLURAL(t->compared),
	    (unsigned long long)t->similar, (unsigned long long)g->n, CLI_PLURAL(g->n),
	    g->n ? g->size[g->largest] : 0, (unsigned long long)t->without_tokens,
	    progress_seconds(&s->cli->progress));
}
