/* SPDX-License-Identifier: MIT */
#include "run.h"

#include "unicode/encoding.h"

enum { NOTES_SHOWN = 10 };

/* Shows the first NOTES_SHOWN notes of the run and counts all. */
static void show_notes(struct run *run, const struct sh_buf *notes)
{
	const char *p = notes->p, *end;

	if (notes->n == 0)
		return;
	end = p + notes->n;
	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		if (run->notes++ < NOTES_SHOWN)
			cli_warn(run->cli, "%.*s", (int)(lf - p), p);
		p = lf + 1;
	}
}

static int done(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct run *run = arg;
	struct cli *c = run->cli;
	int status;

	if (job->ill_formed && !run->gb && sh_encoding_may_be_gb(job->in.p, job->in.n))
		run->gb = job->from.file;
	run->records += job->records;
	run->ill_formed += job->ill_formed;
	run->empty += job->empty;
	run->wrote = run->wrote || job->out.n;
	c->n_rejected += job->rejected;
	c->n_blank += job->blank;
	progress_read(&c->progress, job->in.n, job->in.n ? job->from.lines : 0);
	show_notes(run, &job->notes);
	if (job->aside.n && sh_sink_write(&c->rejects, job->aside.p, job->aside.n, err) < 0)
		return -1;
	if (run->collect && (status = run->collect(run->arg, job, err)) <= 0)
		return status;
	if (sh_sink_write(&c->out, job->out.p, job->out.n, err) < 0)
		return -1;
	/* A chunk comes from one read. Its results are written before the next read. */
	return sh_sink_flush(&c->out, err);
}

void run_pool(struct run *run, struct sh_source *source)
{
	struct sh_pool pool = { run->work, run->workers, run->cli->jobs, done, run };
	struct sh_error err;

	if (sh_pool_run(&pool, source, &err) < 0)
		cli_die(run->cli, &err);
}

void run_tasks(struct run *run, size_t n)
{
	struct sh_pool pool = { run->work, run->workers, run->cli->jobs, done, run };
	struct sh_error err;

	if (sh_pool_tasks(&pool, n, &err) < 0)
		cli_die(run->cli, &err);
}

void run_finish(struct run *run)
{
	struct cli *c = run->cli;

	if (run->notes > NOTES_SHOWN)
		cli_warn(c, "%llu more note%s", (unsigned long long)run->notes - NOTES_SHOWN,
		    CLI_PLURAL(run->notes - NOTES_SHOWN));
	if (run->ill_formed)
		cli_warn(c,
		    "%llu ill-formed UTF-8 sequence%s replaced (--strict makes them errors)",
		    (unsigned long long)run->ill_formed, CLI_PLURAL(run->ill_formed));
	if (run->gb)
		cli_warn(c,
		    "%s: not UTF-8, perhaps GB18030 (convert it: iconv -f GB18030 -t UTF-8)",
		    run->gb);
}
