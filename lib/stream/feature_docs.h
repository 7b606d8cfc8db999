/* SPDX-License-Identifier: MIT */
/* Reads documents that are feature records, by several threads.
 *
 * The source's chunks have whole documents (sh_source.border), so each worker has documents of its
 * own.
 *
 *     sh_feature_docs_init(&docs, &source, &calls, arg, threads, err);
 *     sh_pool_run(): work is sh_feature_docs_work(), its workers are &docs.doc[i], done() calls
 *         sh_feature_docs_done() */
#ifndef SH_STREAM_FEATURE_DOCS_H
#define SH_STREAM_FEATURE_DOCS_H

#include "io/pool.h"
#include "record/feature_lines.h"

/* A worker: the document whose records it reads, and the program's state for it. */
struct sh_feature_doc {
	struct sh_feature_docs *docs;
	void *own;                     /* the program's state, owned */
	struct sh_id_prefix prefix;    /* the id and a TAB: all its records begin so */
	bool begun;                    /* begin() was called for the document, and end() was not */
	const char *file;              /* file of its last record */
	uint64_t line;                 /* line number of its last record */
	struct sh_feature_lines lines; /* the lines for add_lines() */
};

/* Returns the id of a document that was begun, valid until the next document begins. */
static inline struct sh_slice sh_feature_doc_id(const struct sh_feature_doc *d)
{
	return sh_slice(d->prefix.text, d->prefix.n - 1);
}

/* What a program does with documents. */
struct sh_feature_calls {
	/* The state of a worker: its bytes, zeroed before init(). free() is called also after a
	 * failure of init(). NULL: the state owns nothing. */
	size_t size;
	int (*init)(void *own, void *arg, struct sh_error *err);
	void (*free)(void *own);
	/* Returns 0, or -1 with *err when the program refuses this valid record. SH_ERR_RECORD: the
	 * record is bad. check is NULL when the program refuses no record. */
	int (*check)(const struct sh_feature *f, struct sh_error *err);
	/* A document begins. */
	void (*begin)(struct sh_feature_doc *d);
	/* Adds a feature. weight: in millionths. Returns 0, or -1 with *err. */
	int (*add)(struct sh_feature_doc *d, struct sh_slice feature, int64_t weight,
	    struct sh_error *err);
	/* Adds the first lines of d->lines, up to a line that check() refuses or that add() must
	 * add. Returns the number of added lines. */
	size_t (*add_lines)(struct sh_feature_doc *d);
	/* The document ends: appends its results to job->out. Returns 0; or -1 with *err, and then
	 * these bytes are removed, and the run fails with the last record of the document. */
	int (*end)(struct sh_feature_doc *d, struct sh_job *job, struct sh_error *err);
	bool split; /* add_lines() needs features split into tokens: sh_feature_lines_init() */
};

struct sh_feature_docs {
	/* Set before the run. */
	bool rejects; /* bad records go to job->aside */
	bool crlf;    /* lines may end with CR LF */

	struct sh_feature_doc *doc; /* the workers, n elements */
	unsigned n;
	/* ids of the documents that sh_feature_docs_done() has counted */
	struct sh_past_ids past;

	/* Private. */
	const struct sh_feature_calls *calls;
};

/* Makes n workers, with states by calls->init(own, arg, err). The chunks of the source will have
 * whole documents; lines may have been peeked at. Borrows calls. Free d also after a failure. */
int sh_feature_docs_init(struct sh_feature_docs *d, struct sh_source *source,
    const struct sh_feature_calls *calls, void *arg, unsigned n, struct sh_error *err);
void sh_feature_docs_free(struct sh_feature_docs *d);

/* This is work() of the pool above. worker: an element of d->doc. */
int sh_feature_docs_work(void *worker, struct sh_job *job);

/* Adds the ids of the documents that a job began to d->past. Call it in the order of the jobs. */
void sh_feature_docs_done(struct sh_feature_docs *d, const struct sh_job *job);

#endif
