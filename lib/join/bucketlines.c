#include "join/bucketlines.h"

#include <stdlib.h>

#include "io/newlines.h"

/* A bucket that a job began: an element of job->facts. */
struct beginning {
	struct sh_slice key; /* in job->in */
	size_t out;          /* bytes of results of the buckets before */
};

/* ---- borders ---- */

/* Returns whether two lines have the same first field. */
static bool same_field(struct sh_slice a, struct sh_slice b)
{
	const char *tab = a.n ? memchr(a.p, '\t', a.n) : NULL;
	size_t n = tab ? (size_t)(tab - a.p) + 1 : a.n;

	return b.n >= n && memcmp(a.p, b.p, n) == 0;
}

/* See sh_border_fn. Returns 0 when the first and the last line have the same first field, without a
 * search of the lines between them: a large bucket would be searched for each chunk. */
static size_t find_border(void *arg, const char *p, size_t n, size_t one)
{
	const struct sh_bucket_lines *all = arg;
	struct sh_slice next = sh_line_before(p, n), line;
	const char *lf = memchr(p, '\n', n);

	if (lf && same_field(sh_slice(p, (size_t)(lf - p)), next))
		return 0;
	for (size_t at; (at = (size_t)(next.p - p)) > 0 && at >= one; next = line) {
		line = sh_line_before(p, at);
		if (!same_field(line, next) && all->calls->is_border(all->calls->arg, line, next))
			return at;
	}
	return 0;
}

void sh_bucket_lines_source(struct sh_bucket_lines *all, struct sh_source *source, size_t most)
{
	if (all->n_workers == 1)
		return;
	source->border = find_border;
	source->border_arg = all;
	if (most < source->document_max)
		source->document_max = most;
	source->unfinished = source->peeked_from.unfinished = source->peeked.n > 0;
}

/* ---- the order of the buckets ---- */

int sh_bucket_begins(void *state, struct sh_slice key, struct sh_error *err)
{
	const struct sh_bucket_state *s = state;
	struct sh_buf *facts = &s->job->facts;

	if (sh_buf_reserve(facts, sizeof(struct beginning), err) < 0)
		return -1;
	*(struct beginning *)(void *)(facts->p + facts->n) =
	    (struct beginning){ key, s->out.out.n };
	facts->n += sizeof(struct beginning);
	return 0;
}

/* Checks the order of the buckets that a job began. When it fails, leaves in `out` the results of
 * the buckets before. */
static int check_order(
    const struct sh_bucket_lines *all, struct sh_job *job, struct sh_buf *out, struct sh_error *err)
{
	const struct beginning *b = (const struct beginning *)(const void *)job->facts.p;
	size_t n = job->facts.n / sizeof *b;

	job->facts.n = 0;
	for (size_t i = 0; i < n; i++) {
		if (all->calls->order(all->calls->arg, b[i].key, err) == 0)
			continue;
		out->n = b[i].out;
		err->file = job->from.file;
		err->line =
		    job->from.line + sh_count_newlines(job->in.p, (size_t)(b[i].key.p - job->in.p));
		return -1;
	}
	return 0;
}

int sh_bucket_lines_done(
    const struct sh_bucket_lines *all, struct sh_job *job, struct sh_error *err)
{
	return check_order(all, job, &job->out, err);
}

/* Writes a part of the results of a job, after all older jobs. See sh_job_flush(). */
static int write_part(void *arg, struct sh_job *part, struct sh_error *err)
{
	struct sh_bucket_state *state = arg;
	struct sh_job *job = state->job;
	struct sh_error failure;
	int status = sh_job_turn(job, err);

	state->out.out.n = 0;
	if (status < 0)
		return -1;
	status = check_order(state->buckets, job, &part->out, err);
	if (job->pool->done(job->pool->arg, part, &failure) == 0)
		return status;
	*err = failure;
	return -1;
}

/* ---- chunks ---- */

static int add_line(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct sh_bucket_state *state = arg;

	if (!state->failed)
		return state->buckets->calls->add(state->own, line, job, err);
	*err = state->err;
	return -1;
}

static const char *add_lines(
    void *arg, const char *p, const char *end, struct sh_job *job, uint64_t *lines)
{
	struct sh_bucket_state *state = arg;
	const char *next =
	    state->buckets->calls->add_lines(state->own, p, end, job, lines, &state->err);

	state->failed = !next;
	if (next)
		return next;
	*lines = 0;
	return p;
}

/* Exchanges the worker's state for the one that waits, in the order of the chunks. */
static int exchange(struct sh_bucket_worker *w, struct sh_job *job)
{
	struct sh_bucket_state *state = w->state;

	if (sh_job_turn(job, &job->err) < 0)
		return -1;
	w->state = w->buckets->waiting;
	w->buckets->waiting = state;
	return 0;
}

static int end_bucket(struct sh_bucket_state *state, struct sh_job *job)
{
	return state->buckets->calls->end(state->own, &job->err);
}

/* Moves the results to the job. */
static void move_out(struct sh_bucket_state *state, struct sh_job *job)
{
	struct sh_buf out = state->out.out;

	state->out.out = job->out;
	job->out = out;
}

static int process(struct sh_bucket_state *state, struct sh_job *job, bool ends)
{
	int status;

	state->job = job;
	status = sh_job_runs(job, state->buckets->rejects, add_line, add_lines, state);
	if (status == 0 && ends)
		status = end_bucket(state, job);
	move_out(state, job);
	return status;
}

int sh_bucket_lines_work(void *worker, struct sh_job *job)
{
	struct sh_bucket_worker *w = worker;

	if (w->buckets->n_workers == 1)
		return process(w->state, job, false);
	if (job->from.continued && exchange(w, job) < 0)
		return -1;
	if (process(w->state, job, !job->from.unfinished) < 0)
		return -1;
	return job->from.unfinished ? exchange(w, job) : 0;
}

int sh_bucket_lines_end(void *worker, struct sh_job *job)
{
	struct sh_bucket_worker *w = worker;
	struct sh_bucket_state *state = w->buckets->n_workers == 1 ? w->state : w->buckets->waiting;
	int status;

	state->job = job;
	status = end_bucket(state, job);
	job->facts.n = 0; /* the text of the last chunk is gone, and no bucket follows */
	move_out(state, job);
	return status;
}

/* ---- the run ---- */

int sh_bucket_lines_init(struct sh_bucket_lines *all, const struct sh_bucket_calls *calls,
    unsigned n_workers, struct sh_error *err)
{
	unsigned states = sh_bucket_lines_states(n_workers);

	*all = (struct sh_bucket_lines){ .calls = calls, .n_workers = n_workers };
	all->worker = calloc(n_workers, sizeof *all->worker);
	all->state = calloc(states, sizeof *all->state);
	if (!all->worker || !all->state)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < states; i++) {
		all->state[i].buckets = all;
		all->state[i].pool = (struct sh_pool){ .done = write_part, .arg = &all->state[i] };
		all->state[i].out.pool = &all->state[i].pool;
	}
	for (unsigned i = 0; i < n_workers; i++)
		all->worker[i] = (struct sh_bucket_worker){ all, &all->state[i] };
	all->waiting = &all->state[states - 1];
	return 0;
}

void sh_bucket_lines_free(struct sh_bucket_lines *all)
{
	for (unsigned i = 0; all->state && i < sh_bucket_lines_states(all->n_workers); i++)
		sh_buf_free(&all->state[i].out.out);
	free(all->worker);
	free(all->state);
}
