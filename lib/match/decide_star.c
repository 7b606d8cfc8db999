/* SPDX-License-Identifier: MIT */
/* Stars: in the order of ranks, a document is dropped when it is similar to one that stays.
 *
 * Threads take the documents in this order. A document waits until the better ones that it meets
 * are decided. The best document that is not decided yet waits for none, so a thread always has
 * work. */
#include <sched.h>

#include "io/parallel.h"
#include "match/engine_state.h"

enum { AT_ONCE = 32 }; /* documents that a thread takes, and decides in order */

/* Sets *stays to whether a better document stays, when this is known. Returns -1 when the thread
 * that decides it has failed. */
static int wait_for(struct sh_engine *m, uint32_t rank, bool *stays, struct sh_error *err)
{
	uint32_t keeper;

	while ((keeper = __atomic_load_n(&m->keeper[rank], __ATOMIC_ACQUIRE)) == SH_UNKNOWN) {
		if (__atomic_load_n(&m->failed, __ATOMIC_RELAXED))
			return sh_error_set(err, SH_ERR_NOMEM, "another thread failed");
		sched_yield();
	}
	*stays = keeper == rank;
	return 0;
}

/* Returns whether a document is not decided. A copy of a fixed document is not: the fixed one stays
 * beside better documents, to which the copy may be similar, too. */
static bool is_open(const struct sh_engine *m, uint32_t rank)
{
	uint32_t keeper = __atomic_load_n(&m->keeper[rank], __ATOMIC_RELAXED);

	return keeper == SH_UNKNOWN || (keeper & SH_COPY && (keeper & ~SH_COPY) < m->fixed);
}

static int decide(struct sh_engine_worker *w, uint32_t rank, struct sh_error *err)
{
	struct sh_engine *m = w->match;
	const uint64_t *candidate;
	uint32_t keeper = m->keeper[rank] == SH_UNKNOWN ? rank : m->keeper[rank] & ~SH_COPY;
	size_t n = sh_engine_candidates(w, rank, &candidate, err);

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
		if (sh_engine_compare(w, rank, better, false, &verdict, err) < 0)
			return -1;
		if (verdict.similar) {
			keeper = better;
			sh_engine_set_verdict(m, rank, &verdict);
		}
	}
	__atomic_store_n(&m->keeper[rank], keeper, __ATOMIC_RELEASE);
	return 0;
}

static int decide_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_engine_worker *w = worker;
	struct sh_engine *m = w->match;

	for (size_t r = from; r < to; r++)
		if (is_open(m, (uint32_t)r) && decide(w, (uint32_t)r, err) < 0) {
			__atomic_store_n(&m->failed, true, __ATOMIC_RELAXED);
			return -1;
		}
	sh_engine_tell(m, (uint32_t)to);
	return 0;
}

int sh_decide_stars(struct sh_engine *m, struct sh_error *err)
{
	for (uint32_t r = 0; r < m->ranks; r++)
		if (r < m->fixed ||
		    (m->keeper[r] == SH_UNKNOWN && !sh_partners_any(&m->partners, r)))
			m->keeper[r] = r;
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
