/* SPDX-License-Identifier: MIT */
/* shdf: features to document frequencies. */
#include "base/num.h"
#include "feature_run.h"
#include "weight/df.h"

enum { MIN_DF = CLI_OWN, MAX_DF, BARE, FEATURES };

#define DEFAULT_MEMORY ((size_t)512 << 20)

static const struct cli_option options[] = {
	{ 'm', "merge-tables", NULL, "sum tables of document frequencies" },
	{ MIN_DF, "min-df", "N|SHARE", "omit features of fewer than N documents: 3, 0.01 or 1%" },
	{ MAX_DF, "max-df", "N|SHARE", "omit features of more than N documents" },
	{ BARE, "bare", NULL, "leave the words of the widest feature out of the first line" },
	FEATURES_OPTION(FEATURES),
	CLI_MEMORY_ROW("512M"),
	CLI_TMPDIR_ROW,
	{ 0 },
};

static const struct cli_program program = {
	.name = "shdf",
	.threads = "documents",
	.synopsis = "[FILE...]",
	.purpose = "Features (id<TAB>feature<TAB>weight) to document frequencies (feature<TAB>df).",
	.options = { options },
};

struct table_out {
	struct cli *cli;
	struct sh_df_limit min, max;
	uint64_t documents;
	uint64_t words; /* of the widest feature; 0: not known */
	struct sh_df_count *count;
};

/* LINE_MORE: the most bytes of a line beside its feature. */
enum { LINE_MORE = 2 * SH_NUM_CHARS + 3 };

/* Appends a line, unless its df is beyond a bound. The first line, with the empty feature and the
 * number of documents, is never left out. */
static int put_line(const struct table_out *t, struct sh_buf *b, struct sh_slice feature,
    uint64_t df, struct sh_error *err)
{
	char *p;

	if (feature.n && !sh_df_within(&t->min, &t->max, df, t->documents))
		return 0;
	if (sh_buf_reserve(b, feature.n + LINE_MORE, err) < 0)
		return -1;
	p = b->p + b->n;
	if (feature.n)
		memcpy(p, feature.p, feature.n);
	p += feature.n;
	*p++ = '\t';
	p += sh_print_u64(p, df);
	if (feature.n == 0 && t->words && !cli_given(t->cli, BARE)) {
		*p++ = '\t';
		p += sh_print_u64(p, t->words);
	}
	*p++ = '\n';
	b->n = (size_t)(p - b->p);
	return 0;
}

static int emit(void *arg, struct sh_slice feature, uint64_t df, struct sh_error *err)
{
	struct table_out *t = arg;
	struct sh_sink *out = &t->cli->out;

	if (feature.n == 0)
		t->documents = df;
	return sh_sink_room(out, feature.n + LINE_MORE, err)
		   ? put_line(t, &out->buf, feature, df, err)
		   : -1;
}

/* ---- adding up tables ---- */

static void tell_progress(void *arg, uint64_t bytes, uint64_t lines)
{
	struct table_out *t = arg;

	progress_read(&t->cli->progress, bytes, lines);
}

static void merge(struct cli *c, struct table_out *out)
{
	struct sh_error err;

	if (sh_df_merge(c->operands, c->n_operands, c->trailer_in, emit, tell_progress, out,
		cli_given(c, BARE) ? NULL : &out->words, &err) < 0)
		cli_die(c, &err);
}

/* ---- counting ---- */

static int init(void *own, void *count, struct sh_error *err)
{
	(void)err;
	*(struct sh_df_counter **)own = sh_df_counter(count);
	return 0;
}

static struct sh_df_counter *counter(const struct sh_feature_doc *d)
{
	return *(struct sh_df_counter **)d->own;
}

static size_t add(struct sh_feature_doc *d, struct sh_error *err)
{
	return sh_df_features(counter(d), d->text, d->n, err) < 0 ? 0 : d->n;
}

static int end(struct sh_feature_doc *d, struct sh_job *job, struct sh_error *err)
{
	(void)job, (void)err;
	sh_df_document(counter(d));
	return 0;
}

static const struct sh_feature_calls calls = {
	.size = sizeof(struct sh_df_counter *),
	.init = init,
	.add = add,
	.end = end,
};

/* A range of the table that a worker writes. */
struct range {
	const struct table_out *table;
	struct sh_job *job;
};

/* Does not call sh_job_room(), which may wait for older ranges: the output of a range is small. */
static int emit_to_job(void *arg, struct sh_slice feature, uint64_t df, struct sh_error *err)
{
	const struct range *r = arg;

	return put_line(r->table, &r->job->out, feature, df, err);
}

static int write_range(void *worker, struct sh_job *job)
{
	const struct table_out *t = worker;
	struct range r = { t, job };

	return sh_df_count_emit(t->count, job->task, emit_to_job, &r, &job->err);
}

static void count(struct cli *c, size_t memory, struct table_out *out)
{
	struct sh_error err;
	struct sh_df_count *count = sh_df_count_new(c->jobs, memory, c->tmpdir, &err);
	struct run run = { .cli = c, .work = write_range };
	size_t ranges;

	if (!count)
		cli_die(c, &err);
	run_features(c, FEATURES, &calls, count);
	out->count = count;
	if (sh_df_count_finish(count, &out->documents, &out->words, &ranges, &err) < 0 ||
	    emit(out, sh_slice("", 0), out->documents, &err) < 0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++)
		run.workers[i] = out;
	run_tasks(&run, ranges);
	sh_df_count_delete(count);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct table_out out = { .cli = &c };

	cli_start(&c, &program, argc, argv);
	read_df_limits(&c, MIN_DF, MAX_DF, &out.min, &out.max);
	cli_open(&c);
	if (cli_given(&c, 'm'))
		merge(&c, &out);
	else
		count(&c, opt_size(&c, 'S', DEFAULT_MEMORY), &out);
	return cli_finish(&c);
}
