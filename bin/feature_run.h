/* SPDX-License-Identifier: MIT */
/* Runs a program over documents that are feature records, by several threads. The chunks of the
 * source have whole documents (sh_source.border), so each worker has documents of its own. */
#ifndef FEATURE_RUN_H
#define FEATURE_RUN_H

#include "record/fields.h"
#include "run.h"
#include "weight/df.h"

/* The most features of one call of add(). */
enum { FEATURES_MAX = 1024 };

/* A worker: the document whose records it reads, and the program's state for it. */
struct feature_doc {
	const struct feature_run *run; /* private */
	void *arg;                     /* of run_feature_docs() */
	void *own;                     /* the program's state, owned */
	char prefix[SH_ID_MAX + 17];   /* the id and a TAB; 16 bytes behind it may be read */
	size_t prefix_n;
	bool begun;       /* a record of the document was read, and end() was not called */
	const char *file; /* file of its last record */
	uint64_t line;    /* line number of its last record */

	/* The features for add(), none of them empty, with weights in millionths. */
	struct sh_slice text[FEATURES_MAX];
	int64_t weight[FEATURES_MAX];
	size_t n;
	uint64_t first; /* line number of text[0]; the others are in the lines behind it */
};

/* Returns the id of a document that was begun, valid until the next document begins. */
static inline struct sh_slice feature_doc_id(const struct feature_doc *d)
{
	return sh_slice(d->prefix, d->prefix_n - 1);
}

/* What a program does with documents. */
struct feature_calls {
	/* The state of a worker: its bytes, zeroed before init(). free is NULL when the state owns
	 * nothing. */
	size_t size;
	int (*init)(void *own, void *arg, struct sh_error *err);
	void (*free)(void *own);
	/* Adds the features text[0 .. n - 1] of the document. SH_MIX_PADDING bytes behind each are
	 * readable. Returns the number of features added: n, or less with *err. */
	size_t (*add)(struct feature_doc *d, struct sh_error *err);
	/* The document ends: appends its results to job->out, and empties the state for the next
	 * document. Returns 0; or -1 with *err, and then these bytes are removed, and the run fails
	 * with the last record of the document. */
	int (*end)(struct feature_doc *d, struct sh_job *job, struct sh_error *err);
	/* A record whose feature has more words is bad: a text. 0: no limit. */
	unsigned words_max;
};

/* Reads all documents of the source with the threads of -j, and writes the results. arg: for
 * calls->init(). Warns once, at the end, of ids that occur again after other ids. Returns the
 * number of documents without features. Dies of errors. */
uint64_t run_feature_docs(
    struct cli *c, struct sh_source *source, const struct feature_calls *calls, void *arg);

/* Calls run_feature_docs() for the operands of a program that reads only features. Calls
 * need_features() before, unless the option with the code `sure` was given. */
void run_features(struct cli *c, int sure, const struct feature_calls *calls, void *arg);

/* Reads the options --min-df and --max-df, which have these codes. Dies when no feature is
 * within both bounds. */
void read_df_limits(
    struct cli *c, int min_code, int max_code, struct sh_df_limit *min, struct sh_df_limit *max);

/* Ends the program with `text` about this line of the first file, from 1. When the file is not
 * UTF-8, the message says so instead. */
_Noreturn void refuse_peeked(
    struct cli *c, const struct sh_source *source, uint64_t line, const char *text);

/* Ends the program when the records look like texts, each with a number behind the text. advice:
 * what to do, for the message. */
void need_features(struct cli *c, struct sh_source *source, const char *advice);

/* The option that turns need_features() off. */
#define FEATURES_OPTION(code)                                                                      \
	{                                                                                          \
		code, "features", NULL, "read features, whatever the first records look like"      \
	}

#endif
