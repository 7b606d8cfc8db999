/* SPDX-License-Identifier: MIT */
/* Ranks ids by the order of documents (match/rank.h), the best 0. The document of best rank is the
 * keeper of its group. */
#ifndef SH_GROUP_PREFER_H
#define SH_GROUP_PREFER_H

#include "group/idset.h"
#include "io/pool.h"
#include "match/rank.h"

struct sh_prefer {
	struct sh_rank_rule rule;
	/* Files of ids that are protected, one per line; further fields are ignored. */
	const char *const *protects;
	size_t n_protects;
	/* The documents. Without documents the order of the ids is bytewise. */
	const char *const *docs;
	size_t n_docs;
	const struct sh_document_form *form;
	bool trailer;     /* the documents end with a trailer, which is checked (io/trailer.h) */
	unsigned threads; /* at least 1 */

	/* Receives, in input order, jobs with rejected documents: job->rejected and job->aside.
	 * NULL: the first line that is not a document is an error. */
	int (*rejected)(void *arg, const struct sh_job *job, struct sh_error *err);
	void *arg;

	/* Results. */
	uint64_t unknown; /* ids that the documents lack; without documents: that rule.path lacks */
	uint32_t n_protected;     /* the ids of the ranks below it are protected */
	char doubt[SH_RANK_TEXT]; /* of sh_rank_values_doubt(); empty: there is none */
};

/* Returns the rank of each id by its number, distinct, in memory that the caller frees; NULL on
 * failure. ids: sorted. Unknown ids come after all others, in bytewise order. A repeated id has the
 * rank of its first occurrence. */
uint32_t *sh_prefer_ranks(
    struct sh_prefer *prefer, const struct sh_idset *ids, struct sh_error *err);

#endif
