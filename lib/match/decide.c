/* SPDX-License-Identifier: MIT */
/* Which documents stay: stars or chains. */
#include <sched.h>
#include <stdlib.h>

#include "base/compare.h"
#include "io/parallel.h"
#include "match/engine_state.h"

enum { AT_ONCE = 32 }; /* documents that a thread takes, and decides in order */

/* ---- candidates ---- */

/* Returns whether the lengths show that two documents are not similar. */
static bool excludes(const struct sh_engine *m, uint32_t x, uint32_t y)
{
	const struct sh_description *a = &m->described[sh_engine_document(m, x)],
				    *b = &m->described[sh_engine_document(m, y)];

	if (a->tokens == UINT16_MAX || b->tokens == UINT16_MAX)
		return false;
	return sh_comparer_excludes(&m->matching, a->tokens, b->tokens, a->features, b->features);
}

/* Returns whether a document is compared with a candidate. For stars the candidate is not known to
 * be dropped. */
static bool is_compared(const struct sh_engine *m, uint32_t rank, uint32_t other)
{
	uint32_t keeper = __atomic_load_n(&m->keeper[other], __ATOMIC_RELAXED);
	/* Documents that stay are not compared with each other. They may link a chain. */
	uint32_t apart = m->opts.single ? m->prior : m->fixed;

	if (!m->opts.single && keeper != SH_UNKNOWN && keeper != other)
		return false;
	return other != rank && (rank >= apart || other >= apart) && !excludes(m, rank, other);
}

/* Finds the ranks that a document meets and that could be similar to it, each once, ascending.
 * Returns their number, or SIZE_MAX. They are at *found until the next call of the worker. */
static size_t candidates(
    struct sh_engine_worker *w, uint32_t rank, const uint64_t **found, struct sh_error *err)
{
	struct sh_partner_room *room = &w->partners;
	size_t n = sh_partners_of(&w->match->partners, rank, room, err), kept = 0;

	if (n == SIZE_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		uint32_t other = (uint32_t)room->partner[i];

		if (is_compared(w->match, rank, other))
			room->partner[kept++] = other;
	}
	if (kept)
		qsort(room->partner, kept, sizeof *room->partner, sh_compare_u64);
	*found = room->partner;
	return kept;
}

/* Compares the documents of two ranks. */
static int compare(struct sh_engine_worker *w, uint32_t x, uint32_t y, bool exact,
    struct sh_verdict *verdict, struct sh_error *err)
{
	const struct sh_engine *m = w->match;

	w->compared++;
	if (sh_comparer_compare(w->comparer, sh_engine_document(m, x), sh_engine_document(m, y),
		exact, verdict, err) < 0)
		return -1;
	w->similar += verdict->similar;
	return 0;
}

/* Counts decided documents for the progress. */
static void tell(struct sh_engine *m, uint32_t rank)
{
	if (!m->opts.progress || rank / SH_TELL == (rank - 1) / SH_TELL ||
	    pthread_mutex_trylock(&m->lock) != 0)
		return;
	m->opts.progress(m->opts.arg, rank);
	pthread_mutex_unlock(&m->lock);
}

/* ---- stars ----
 *
 * In the order of ranks, a document is dropped when it is similar to a document that stays. Threads
 * take the documents in this order. A document waits until the better documents that it meets are
 * decided. The best undecided document waits for no document, so a thread always has work. */

/* Sets *stays to whether a better document stays, when this is known. Returns -1 when a thread has
 * failed at this document or a better one: then the outcome may never be known. A failure at a
 * worse document ends no wait: an error of the wait would be reported instead of that failure. */
static int wait_for(struct sh_engine *m, uint32_t rank, bool *stays, struct sh_error *err)
{
	uint32_t keeper;

	while ((keeper = __atomic_load_n(&m->keeper[rank], __ATOMIC_ACQUIRE)) == SH_UNKNOWN) {
		if (__atomic_load_n(&m->failed_at, __ATOMIC_RELAXED) <= rank)
			return sh_error_set(err, SH_ERR_NOMEM, "another thread failed");
		sched_yield();
	}
	*stays = keeper == rank;
	return 0;
}

/* Returns whether a document is not decided. A copy of a fixed document is not decided: the fixed
 * document stays beside better documents, to which the copy may be similar, too. */
static bool is_open(const struct sh_engine *m, uint32_t rank)
{
	uint32_t keeper = __atomic_load_n(&m->keeper[rank], __ATOMIC_RELAXED);

	return keeper == SH_UNKNOWN || (keeper & SH_COPY && (keeper & ~SH_COPY) < m->fixed);
}

static int decide_document(struct sh_engine_worker *w, uint32_t rank, struct sh_error *err)
{
	struct sh_engine *m = w->match;
	const uint64_t *candidate;
	uint32_t keeper = m->keeper[rank] == SH_UNKNOWN ? rank : m->keeper[rank] & ~SH_COPY;
	size_t n = candidates(w, rank, &candidate, err);

	if (n == SIZE_MAX)
		return -1;
	for (size_t i = 0; i < n && candidate[i] < keeper; i++) {
		uint32_t better = (uint32_t)candidate[i];
		struct sh_verdict verdict;
		bool stays = false;

		if (wait_for(m, better, &stays, err) < 0)
			return -1;
		if (!stays)
			continue;
		if (compare(w, rank, better, false, &verdict, err) < 0)
			return -1;
		if (verdict.similar) {
			keeper = better;
			sh_engine_set_verdict(m, rank, &verdict);
		}
	}
	__atomic_store_n(&m->keeper[rank], keeper, __ATOMIC_RELEASE);
	return 0;
}

/* Lowers m->failed_at to the rank. */
static void fail_at(struct sh_engine *m, uint32_t rank)
{
	uint32_t before = __atomic_load_n(&m->failed_at, __ATOMIC_RELAXED);

	while (rank < before && !__atomic_compare_exchange_n(&m->failed_at, &before, rank, true,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static int decide_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_engine_worker *w = worker;
	struct sh_engine *m = w->match;

	for (size_t r = from; r < to; r++)
		if (is_open(m, (uint32_t)r) && decide_document(w, (uint32_t)r, err) < 0) {
			fail_at(m, (uint32_t)r);
			return -1;
		}
	tell(m, (uint32_t)to);
	return 0;
}

static int decide_stars(struct sh_engine *m, struct sh_error *err)
{
	for (uint32_t r = 0; r < m->ranks; r++)
		if (r < m->fixed ||
		    (m->keeper[r] == SH_UNKNOWN && !sh_partners_any(&m->partners, r)))
			m->keeper[r] = r;
	m->failed_at = UINT32_MAX;
	if (sh_parallel(m->worker, sizeof *m->worker, m->opts.jobs, m->ranks, AT_ONCE, decide_some,
		err) < 0)
		return -1;
	/* A copy has the keeper of the document whose tokens it has, or this document. */
	for (uint32_t r = 0; r < m->ranks; r++)
		if (m->keeper[r] & SH_COPY) {
			uint32_t of = m->keeper[r] & ~SH_COPY;

			m->keeper[r] = m->keeper[of];
			if (m->keeper[of] != of)
				m->verdict[r] = m->verdict[of];
		}
	return 0;
}

/* ---- chains ----
 *
 * Documents that similar pairs connect are a group, a tree of keeper[] (union-find). Two documents
 * of one tree are not compared. */

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
	size_t n = candidates(w, rank, &candidate, err);

	if (n == SIZE_MAX)
		return -1;
	for (size_t i = 0; i < n; i++) {
		uint32_t other = (uint32_t)candidate[i];
		struct sh_verdict verdict;

		if ((i && candidate[i] == candidate[i - 1]) || linked(m, rank, other))
			continue;
		if (compare(w, rank, other, false, &verdict, err) < 0)
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
	tell(m, (uint32_t)to);
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

static int decide_chains(struct sh_engine *m, struct sh_error *err)
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

int sh_decide(struct sh_engine *m, struct sh_error *err)
{
	return m->opts.single ? decide_chains(m, err) : decide_stars(m, err);
}
