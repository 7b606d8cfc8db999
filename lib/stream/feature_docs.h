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
#include "record/fields.h"

/* The most features of one call of add(). */
enum { SH_FEATURES_MAX = 1024 };

/* A worker: the document whose records it reads, and the program's state for it. */
struct sh_feature_doc {
	struct sh_feature_docs *docs;
	void *own;                   /* the program's state, owned */
	char prefix[SH_ID_MAX + 17]; /* the id and a TAB; 16 bytes behind it may be read */
	size_t prefix_n;
	bool begun;       /* a record of the document was read, and end() was not called */
	const char *file; /* file of its last record */
	uint64_t line;    /* line number of its last record */

	/* The features for add(), none of them empty, with weights in millionths. */
	struct sh_slice text[SH_FEATURES_MAX];
	int64_t weight[SH_FEATURES_MAX];
	size_t n;
	uint64_t first; /* line number of text[0]; the others are in the lines behind it */
};

/* Returns the id of a document that was begun, valid until the next document begins. */
static inline struct sh_slice sh_feature_doc_id(const struct sh_feature_doc *d)
{
	return sh_slice(d->prefix, d->prefix_n - 1);
}

/* What a program does with documents. */
struct sh_feature_calls {
	/* The state of a worker: its bytes, zeroed before init(). free() is called also after a
	 * failure of init(). NULL: the state owns nothing. */
	size_t size;
	int (*init)(void *own, void *arg, struct sh_error *err);
	void (*free)(void *own);
	/* Adds the features text[0 .. n - 1] of the document. SH_MIX_PADDING bytes behind each are
	 * readable. Returns the number of features added: n, or less with *err. */
	size_t (*add)(struct sh_feature_doc *d, struct sh_error *err);
	/* The document ends: appends its results to job->out, and empties the state for the next
	 * document. Returns 0; or -1 with *err, and then these bytes are removed, and the run fails
	 * with the last record of the document. */
	int (*end)(struct sh_feature_doc *d, struct sh_job *job, struct sh_error *err);
	/* A record whose feature has more words is bad: a text. 0: no limit. */
	unsigned words_max;
};

enum { SH_PAST_IDS = 1 << 14, SH_PAST_IDS_SHOWN = 80 };

struct sh_feature_docs {
	/* Set before the run. */
	bool rejects; /* bad records go to job->aside */
	bool crlf;    /* lines may end with CR LF */

	struct sh_feature_doc *doc; /* the workers, n elements */
	unsigned n;

	/* Documents whose id began another document before, with other ids between. Usually this is
	 * a mistake: the lines were sorted by another field, or two documents have one id. The
	 * first of them: its id, perhaps cut, and its place. An id that occurs again much later may
	 * be missed: only 2^14 ids are remembered, as hashes of 64 bits. An id is counted wrongly
	 * with probability 2^-50, unless ids are constructed to have equal hashes. */
	uint64_t again;
	char again_id[SH_PAST_IDS_SHOWN];
	size_t again_n;
	const char *again_file;
	uint64_t again_line;

	/* Private. */
	const struct sh_feature_calls *calls;
	uint64_t past[SH_PAST_IDS]; /* by the top bits of hashes: the last hash; 0: none */
};

/* Makes n workers, with states by calls->init(own, arg, err). The chunks of the source will have
 * whole documents; lines may have been peeked at. Borrows calls. Free d also after a failure. */
int sh_feature_docs_init(struct sh_feature_docs *d, struct sh_source *source,
    const struct sh_feature_calls *calls, void *arg, unsigned n, struct sh_error *err);
void sh_feature_docs_free(struct sh_feature_docs *d);

/* This is work() of the pool above. worker: an element of d->doc. */
int sh_feature_docs_work(void *worker, struct sh_job *job);

/* Counts the documents that a job began whose ids occurred before. Call it in the order of the
 * jobs. */
void sh_feature_docs_done(struct sh_feature_docs *d, const struct sh_job *job);

#endif
