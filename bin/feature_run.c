/* SPDX-License-Identifier: MIT */
#include "feature_run.h"

#include <stdio.h>

#include "stream/docs.h"
#include "stream/feature_head.h"

/* There are two possible causes: the lines of one document are not adjacent, or several documents
 * have one id. The message gives a remedy for both. */
static void warn_repeated_ids(struct cli *c, const struct sh_feature_docs *d)
{
	if (d->again == 0)
		return;
	cli_warn(c,
	    "%s:%llu: id '%.*s' comes again after other ids and begins another document; %llu such "
	    "documents in all "
	    "(lines of one document: bring them together with LC_ALL=C sort -s -t \"$(printf "
	    "'\\t')\" -k 1,1; several documents: give each its own id)",
	    d->again_file, (unsigned long long)d->again_line, (int)d->again_n, d->again_id,
	    (unsigned long long)d->again);
}

static int count_documents(void *arg, struct sh_job *job, struct sh_error *err)
{
	(void)err;
	sh_feature_docs_done(arg, job);
	return 1;
}

_Noreturn void refuse_peeked(
    struct cli *c, const struct sh_source *source, uint64_t line, const char *text)
{
	struct sh_slice head = sh_source_peeked(source);
	struct sh_error err;

	if (sh_docs_head(&head, &err) == 0) {
		sh_error_set(&err, SH_ERR_RECORD, "%s", text);
		err.line = line;
	}
	err.file = source->name;
	cli_die(c, &err);
}

void need_features(struct cli *c, struct sh_source *source, const char *advice)
{
	struct sh_error err;
	char text[256];
	uint64_t line;
	bool once;

	if (sh_feature_head(source, &line, &once, &err) < 0)
		cli_die(c, &err);
	if (line == 0)
		return;
	snprintf(text, sizeof text,
	    "this looks like a text followed by a number, not like a feature%s (%s)",
	    once ? ": each id stands once" : "", advice);
	refuse_peeked(c, source, line, text);
}

/* ---- the run ---- */

uint64_t run_feature_docs(
    struct cli *c, struct sh_source *source, const struct sh_feature_calls *calls, void *arg)
{
	struct run run = { .cli = c, .work = sh_feature_docs_work, .collect = count_documents };
	struct sh_feature_docs docs;
	struct sh_error err;

	if (sh_feature_docs_init(&docs, source, calls, arg, c->jobs, &err) < 0)
		cli_die(c, &err);
	docs.rejects = c->rejects_path != NULL;
	docs.crlf = c->crlf;
	for (unsigned i = 0; i < c->jobs; i++)
		run.workers[i] = &docs.doc[i];
	run.arg = &docs;
	run_pool(&run, source);
	run_finish(&run);
	warn_repeated_ids(c, &docs);
	sh_feature_docs_free(&docs);
	return run.empty;
}

void run_features(struct cli *c, int sure, const struct sh_feature_calls *calls, void *arg)
{
	struct sh_source source;

	cli_source_init(c, &source);
	if (!cli_given(c, sure))
		need_features(c, &source,
		    "shtok -f 1,2 makes features of documents, --features reads these records as "
		    "features");
	run_feature_docs(c, &source, calls, arg);
	sh_source_free(&source);
}

/* ---- options ---- */

static void read_df_limit(struct cli *c, int code, struct sh_df_limit *limit)
{
	const char *text = opt_text(c, code);
	struct sh_error err;

	if (text && sh_df_limit_parse(text, limit, &err) < 0)
		cli_usage(c, "%s: %s", cli_option_name(c, code), err.text);
}

void read_df_limits(
    struct cli *c, int min_code, int max_code, struct sh_df_limit *min, struct sh_df_limit *max)
{
	read_df_limit(c, min_code, min);
	read_df_limit(c, max_code, max);
	if (!sh_df_limits_agree(min, max))
		cli_usage(c, "--min-df is above --max-df: no feature is within both");
}
