/* Ranks ids, the best 0. The document of best rank is the keeper of its group. */
#ifndef SH_GROUP_PREFER_H
#define SH_GROUP_PREFER_H

#include "group/idset.h"
#include "io/pool.h"
#include "record/document.h"

enum sh_prefer_which {
	SH_PREFER_FIRST, /* first in document order; without documents, least id in bytes */
	/* most bytes of text without escapes, then first; without documents, least id in bytes */
	SH_PREFER_LONGEST,
	SH_PREFER_NEWEST, /* last in document order; without documents, greatest id in bytes */
	/* in the order of a file of ids, one per line; further fields are ignored */
	SH_PREFER_RANKED,
};

struct sh_prefer {
	enum sh_prefer_which which;
	const char *path; /* SH_PREFER_RANKED; borrowed */
	bool trailer;     /* the documents end with a trailer, which is checked (io/trailer.h) */
	unsigned threads; /* at least 1 */

	/* Receives, in input order, jobs with rejected documents: job->rejected and job->aside.
	 * NULL: the first line that is not a document is an error. */
	int (*rejected)(void *arg, const struct sh_job *job, struct sh_error *err);
	void *arg;
};

/* Fills *prefer from "first", "longest" or "newest", or from the path of a file of ids. Members
 * that the text does not decide are zeroed. */
void sh_prefer_parse(const char *text, struct sh_prefer *prefer);

/* Returns the rank of each id by its number, distinct, in memory that the caller frees; NULL on
 * failure. ids: sorted. docs: n_docs files of documents, may be none. Ids that the documents or the
 * file of ids lack come after all other ids, in bytewise order; *unknown is their number. A
 * repeated id has the rank of its first occurrence. */
uint32_t *sh_prefer_ranks(const struct sh_prefer *prefer, const struct sh_idset *ids,
    const char *const *docs, size_t n_docs, const struct sh_document_form *form, uint64_t *unknown,
    struct sh_error *err);

#endif
