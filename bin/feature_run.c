/* SPDX-License-Identifier: MIT */
#include "feature_run.h"

/* There are two possible causes: the lines of one document are not adjacent, or several documents
 * have one id. The message gives a remedy for both. */
static void warn_repeated_ids(struct cli *c, const struct sh_past_ids *past)
{
	if (past->again == 0)
		return;
	cli_warn(c,
	    "%s:%llu: id '%.*s' comes again after other ids and begins another document; %llu such "
	    "documents in all "
	    "(lines of one document: bring them together with LC_ALL=C sort -s -t \"$(printf "
	    "'\\t')\" -k 1,1; several documents: give each its own id)",
	    past->file, (unsigned long long)past->line, (int)past->id_n, past->id,
	    (unsigned long long)past->again);
}

static void count_documents(void *arg, const struct sh_job *job)
{
	sh_feature_docs_done(arg, job);
}

void run_feature_docs(struct run *run, struct sh_source *source,
    const struct sh_feature_calls *calls, void *const *own)
{
	struct cli *c = run->cli;
	struct sh_feature_docs docs;
	struct sh_error err;

	if (sh_feature_docs_init(&docs, calls, own, c->jobs, &err) < 0)
		cli_die(c, &err);
	docs.rejects = c->rejects_path != NULL;
	docs.crlf = c->crlf;
	sh_feature_docs_source(&docs, source);
	for (unsigned i = 0; i < c->jobs; i++)
		run->workers[i] = &docs.doc[i];
	run->see = count_documents;
	run->see_arg = &docs;
	run->work = sh_feature_docs_work;
	run_pool(run, source);
	run_finish(run);
	warn_repeated_ids(c, &docs.past);
	sh_feature_docs_free(&docs);
}
