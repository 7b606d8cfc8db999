/* SPDX-License-Identifier: MIT */
/* Chains: documents that similar pairs connect are a group, a tree of keeper[] (union-find). Two
 * documents of one tree are not compared. */
#include "io/parallel.h"
#include "match/engine_state.h"

enum { AT_ONCE = 32 };

/* Other threads may read the entry of a document, as candidates. */
static void set(uint32_t *keeper, uint32_t rank, uint32_t to)
{
	__atomic_store_n(&keeper[rank], to, __ATOMIC_RELAXED);
}

/* Returns the best document of the tree. Shortens the path. */
static uint32_t find(uint32_t *keeper, uint32_t rank)
{
	while (keeper[rank] != rank) {
		set(keeper, rank, keeper[keeper[rank]]);
		rank = keeper[rank];
	}
	return rank;
}

static bool linked(struct sh_engine *m, uint32_t x, uint32_t y)
{
	bool same;

	pthread_mutex_lock(&m->lock);
	same = find(m->keeper, x) == find(m->keeper, y);
	pthread_mutex_unlock(&m->lock);
	return same;
}

static void join_trees(struct sh_engine *m, uint32_t x, uint32_t y)
{
	pthread_mutex_lock(&m->lock);
	x = find(m->keeper, x);
	y = find(m->keeper, y);
	set(m->keeper, x < y ? y : x, x < y ? x : y);
	pthread_mutex_unlock(&m->lock);
}

static int link_document(struct sh_engine_worker *w, uint32_t rank, struct sh_error *err)
{
	struct sh_engine *m = w->match;
	const uint64_t *candidate;
	size_t n = sh_engine_candidates(w, rank, &candidate, err);

	if (n == SIZE_MAX)
		return -1;
	for (size_t i = 0; i < n; i++) {
		uint32_t other = (uint32_t)candidate[i];
		struct sh_verdict verdict;

		if ((i && candidate[i] == candidate[i - 1]) || linked(m, rank, other))
			continue;
		if (sh_engine_compare(w, rank, other, false, &verdict, err) < 0)
			return -1;
		if (verdict.similar)
			join_trees(m, rank, other);
	}
	return 0;
}

static int link_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_engine_worker *w = worker;
	struct sh_engine *m = w->match;

	for (size_t r = from; r < to; r++)
		if (sh_partners_any(&m->partners, (uint32_t)r) &&
		    link_document(w, (uint32_t)r, err) < 0)
			return -1;
	sh_engine_tell(m, (uint32_t)to);
	return 0;
}

/* Computes the verdicts on dropped documents and their keepers. */
static int compare_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_engine_worker *w = worker;
	struct sh_engine *m = w->match;
	struct sh_verdict verdict;

	for (uint32_t r = (uint32_t)from; r < to; r++) {
		if (m->keeper[r] == r)
			continue;
		if (sh_comparer_compare(w->comparer, sh_engine_document(m, r),
			sh_engine_document(m, m->keeper[r]), true, &verdict, err) < 0)
			return -1;
		sh_engine_set_verdict(m, r, &verdict);
	}
	return 0;
}

int sh_decide_chains(struct sh_engine *m, struct sh_error *err)
{
	/* A copy is in one tree with the document whose tokens it has. It can meet other
	 * documents. */
	for (uint32_t r = 0; r < m->ranks; r++)
		m->keeper[r] = m->keeper[r] == SH_UNKNOWN ? r : m->keeper[r] & ~SH_COPY;
	if (sh_parallel(
		m->worker, sizeof *m->worker, m->opts.jobs, m->ranks, AT_ONCE, link_some, err) < 0)
		return -1;
	for (uint32_t r = 0; r < m->ranks; r++)
		m->keeper[r] = find(m->keeper, r);
	for (uint32_t r = 0; r < m->fixed; r++)
		m->keeper[r] = r;
	return sh_parallel(
	    m->worker, sizeof *m->worker, m->opts.jobs, m->ranks, AT_ONCE, compare_some, err);
}
