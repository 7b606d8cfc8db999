/* SPDX-License-Identifier: MIT */
/* The state that engine.c and decide.c share, in the order of a run. */
#ifndef SH_MATCH_ENGINE_STATE_H
#define SH_MATCH_ENGINE_STATE_H

#include <pthread.h>

#include "match/engine.h"
#include "match/partners.h"

/* Values of sh_engine.keeper while documents are decided: a rank; or that the document is a copy of
 * the document of this rank; or that it is not decided yet. */
#define SH_COPY    (UINT32_C(1) << SH_DOCUMENTS_BITS)
#define SH_UNKNOWN UINT32_MAX

#define SH_LEFT_OUT UINT16_MAX /* sh_description.features of a document that is left out */

enum { SH_TELL = 1 << 12 }; /* documents between two calls of opts.progress() */

struct sh_engine_worker {
	struct sh_engine *match;
	struct sh_comparer *comparer;
	struct sh_partner_room partners;
	uint64_t compared, similar, copies;
};

struct sh_engine {
	struct sh_engine_opts opts;
	struct sh_comparer_opts matching; /* of each worker, but for the thread */
	struct sh_engine_stats stats;
	struct sh_sorter postings;

	/* by document */
	struct sh_description *described;
	uint64_t *given;    /* the ranks that the caller gave; NULL: all are 0 */
	bool *is_protected; /* NULL: none is */
	uint32_t *rank;     /* NULL: the number is the rank */
	size_t described_cap, given_cap, protected_cap;
	uint32_t n, n_read; /* all documents; the documents of the input, which come first */
	bool leaves_out;

	/* by rank */
	uint32_t *document; /* NULL: the rank is the number */
	uint32_t ranks;     /* of documents that can meet; documents left out have higher ranks */
	uint32_t prior;     /* the first ranks: stored documents */
	uint32_t fixed;     /* the first ranks: stored and protected documents, which stay */
	uint32_t *keeper;
	uint16_t *verdict; /* on the document and its keeper */

	struct sh_partners partners;
	struct sh_engine_worker *worker;
	pthread_mutex_t lock; /* of opts.seen(), opts.progress(), and the chains */
	uint32_t failed_at;   /* lowest rank at which a thread stopped with an error */
};

static inline uint32_t sh_engine_document(const struct sh_engine *m, uint32_t rank)
{
	return m->document ? m->document[rank] : rank;
}

static inline void sh_engine_set_verdict(
    struct sh_engine *m, uint32_t rank, const struct sh_verdict *v)
{
	m->verdict[rank] = (uint16_t)(v->measure << 14 | v->similarity);
}

/* Sets keeper[] of all ranks, and verdict[] of the dropped ones: stars, or chains. */
int sh_decide(struct sh_engine *m, struct sh_error *err);

#endif
