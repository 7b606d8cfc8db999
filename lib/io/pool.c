/* SPDX-License-Identifier: MIT */
#include "io/pool.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "io/newlines.h"

enum { OUT_FULL = 1 << 18 };

struct feed_thread {
	struct sh_feed *feed;
	void *worker;
	pthread_t id;
};

struct sh_feed {
	const struct sh_pool *pool;
	struct feed_thread *threads;
	unsigned started;       /* threads beside the calling one */
	pthread_mutex_t lock;   /* of all fields below */
	pthread_cond_t changed; /* a job was pushed or written, or `over` is set */
	/* A ring: `used` jobs from `head` on are in flight, in input order. The others are free. */
	struct sh_job *jobs;
	size_t n, head, used;
	size_t begun; /* jobs in flight that a worker has taken */
	bool writing; /* a thread is in write_finished() */
	bool over;    /* no more jobs come: threads end */
	int cancel;   /* closed after a failure, to end a read of `source`; -1: none */
	int status;   /* of writing, with err */
	struct sh_error err;
};

/* Writes a finished job. Returns 0, or -1 with the error of the job or of writing. */
static int job_write(const struct sh_pool *pool, struct sh_job *job, struct sh_error *err)
{
	if (pool->done(pool->arg, job, err) < 0)
		return -1;
	if (job->failed)
		*err = job->err;
	return job->failed;
}

/* Begins the next job. The caller holds the lock. Returns NULL when there is none now. */
static struct sh_job *begin_job(struct sh_feed *f)
{
	return f->status < 0 || f->begun == f->used ? NULL
						    : &f->jobs[(f->head + f->begun++) % f->n];
}

/* Writes jobs while the oldest job is finished. A thread that is already writing writes these jobs,
 * too. The caller holds the lock, which is released while a job is written. */
static void write_finished(struct sh_feed *f)
{
	if (f->writing)
		return;
	f->writing = true;
	while (f->status == 0 && f->used && f->jobs[f->head].finished) {
		struct sh_job *job = &f->jobs[f->head];
		int status;

		pthread_mutex_unlock(&f->lock);
		status = job_write(f->pool, job, &f->err);
		pthread_mutex_lock(&f->lock);
		f->status = status;
		f->head = (f->head + 1) % f->n;
		f->used--;
		f->begun--;
		if (status < 0 && f->cancel >= 0) {
			close(f->cancel);
			f->cancel = -1;
		}
		pthread_cond_broadcast(&f->changed);
	}
	f->writing = false;
}

/* Processes a job. The caller holds the lock, which is released meanwhile. */
static void do_job(struct sh_feed *f, void *worker, struct sh_job *job)
{
	pthread_mutex_unlock(&f->lock);
	job->failed = f->pool->work(worker, job);
	pthread_mutex_lock(&f->lock);
	job->finished = true;
	write_finished(f);
}

static void *work_loop(void *arg)
{
	const struct feed_thread *t = arg;
	struct sh_feed *f = t->feed;

	pthread_mutex_lock(&f->lock);
	for (;;) {
		struct sh_job *job = begin_job(f);

		if (job)
			do_job(f, t->worker, job);
		else if (f->over)
			break;
		else
			pthread_cond_wait(&f->changed, &f->lock);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

/* Works, or waits for a change. The caller holds the lock. */
static void help(struct sh_feed *f)
{
	struct sh_job *job = begin_job(f);

	if (job)
		do_job(f, f->threads[0].worker, job);
	else
		pthread_cond_wait(&f->changed, &f->lock);
}

/* ---- within a job ---- */

int sh_job_turn(struct sh_job *job, struct sh_error *err)
{
	struct sh_feed *f = job->feed;
	int status;

	if (!f)
		return 0;
	pthread_mutex_lock(&f->lock);
	while (f->status == 0 && &f->jobs[f->head] != job)
		pthread_cond_wait(&f->changed, &f->lock);
	status = f->status;
	pthread_mutex_unlock(&f->lock);
	return status == 0 ? 0 : sh_error_set(err, SH_ERR_PARAM, "another thread has failed");
}

int sh_job_flush(struct sh_job *job, struct sh_error *err)
{
	struct sh_job part = {
		.from = job->from, .out = job->out, .task = job->task, .part = true
	};

	if (sh_job_turn(job, err) < 0 || job->pool->done(job->pool->arg, &part, err) < 0)
		return -1;
	job->out.n = 0;
	return 0;
}

char *sh_job_room(struct sh_job *job, size_t need, struct sh_error *err)
{
	if (job->out.n > OUT_FULL && sh_job_flush(job, err) < 0)
		return NULL;
	return sh_buf_reserve(&job->out, need, err) < 0 ? NULL : job->out.p + job->out.n;
}

/* Handles a bad record, the current line of the job, with the error job->err. With `rejects`,
 * copies the record to job->aside and returns 0. Otherwise adds the place of the record to the
 * error and returns -1. SH_ERR_IO and SH_ERR_NOMEM get no place: the record is not their cause. */
static int reject(struct sh_job *job, struct sh_slice line, bool rejects)
{
	struct sh_error full;

	if (!job->err.line && job->err.code != SH_ERR_IO && job->err.code != SH_ERR_NOMEM) {
		job->err.file = job->from.file;
		job->err.line = sh_job_line(job);
	}
	if (!rejects || job->err.code != SH_ERR_RECORD)
		return -1;
	job->rejected++;
	if (sh_buf_add(&job->aside, line.p, line.n, &full) < 0 ||
	    sh_buf_add(&job->aside, "\n", 1, &full) < 0) {
		job->err = full;
		return -1;
	}
	return 0;
}

static bool is_blank(struct sh_slice line, const char *blanks)
{
	for (size_t i = 0; i < line.n; i++)
		if (!strchr(blanks, line.p[i]) || !line.p[i])
			return false;
	return true;
}

static int one_line(
    struct sh_job *job, struct sh_slice line, bool rejects, sh_line_fn *each, void *arg)
{
	size_t out = job->out.n, notes = job->notes.n;
	uint64_t ill_formed = job->ill_formed, empty = job->empty;

	if (sh_trailer_refuse(line, &job->err) == 0 && each(arg, line, job, &job->err) == 0) {
		job->records++;
		return 0;
	}
	job->out.n = out < job->out.n ? out : job->out.n; /* it may have been flushed */
	job->notes.n = notes;
	job->ill_formed = ill_formed;
	job->empty = empty;
	return reject(job, line, rejects);
}

int sh_job_lines(struct sh_job *job, bool rejects, sh_line_fn *each, void *arg)
{
	return sh_job_runs(job, rejects, each, NULL, arg);
}

int sh_job_runs(struct sh_job *job, bool rejects, sh_line_fn *each, sh_run_fn *more, void *arg)
{
	const char *p = job->in.p, *end = p + job->in.n;
	struct sh_slice line;
	uint64_t lines = 0;

	for (job->at = 0; p < end; job->at++) {
		if (more) {
			p = more(arg, p, end, job, &lines);
			job->at += lines;
			job->records += lines;
			if (p == end)
				break;
		}
		line = sh_record_front(sh_slice(p, (size_t)(end - p)), job->from.csv);
		job->offset = (size_t)(p - job->in.p);
		if (job->from.trailer && sh_is_trailer(line.p, line.n))
			job->from.number--; /* counts no trailers */
		else if (job->from.blanks && is_blank(line, job->from.blanks))
			job->blank++;
		else if (one_line(job, line, rejects, each, arg) < 0)
			return -1;
		if (job->from.csv)
			job->at += sh_count_newlines(line.p, line.n);
		p += line.n + (line.n < (size_t)(end - p));
	}
	return 0;
}

int sh_job_note(
    struct sh_job *job, const char *file, uint64_t line, const char *text, struct sh_error *err)
{
	char place[SH_NUM_CHARS + 4];
	int n = snprintf(place, sizeof place, ":%llu: ", (unsigned long long)line);

	if (sh_buf_add(&job->notes, file, strlen(file), err) < 0 ||
	    sh_buf_add(&job->notes, place, (size_t)n, err) < 0 ||
	    sh_buf_add(&job->notes, text, strlen(text), err) < 0)
		return -1;
	return sh_buf_add(&job->notes, "\n", 1, err);
}

/* ---- feeds ---- */

/* Starts the threads of a feed for at most `most` jobs at a time. */
static struct sh_feed *start(const struct sh_pool *pool, size_t most, struct sh_error *err)
{
	struct sh_feed *f = calloc(1, sizeof *f);
	unsigned n = most < pool->n_workers ? (unsigned)most : pool->n_workers;

	if (!f) {
		sh_error_nomem(err);
		return NULL;
	}
	*f = (struct sh_feed){ .pool = pool, .cancel = -1 };
	/* Two jobs a worker: one is processed, one waits for an older job to be written. Two more
	 * let reading go on meanwhile. */
	f->n = 2 * (size_t)n + 2;
	f->threads = calloc(n, sizeof *f->threads);
	f->jobs = calloc(f->n, sizeof *f->jobs);
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->changed, NULL);
	if (!f->threads || !f->jobs) {
		sh_error_nomem(err);
		sh_feed_delete(f);
		return NULL;
	}
	for (size_t i = 0; i < f->n; i++) {
		f->jobs[i].pool = pool;
		f->jobs[i].feed = f;
	}
	for (unsigned i = 0; i < n; i++)
		f->threads[i] = (struct feed_thread){ .feed = f, .worker = pool->workers[i] };
	/* The calling thread works, too: all jobs are processed even when no thread starts. */
	while (f->started + 1 < n && pthread_create(&f->threads[f->started + 1].id, NULL, work_loop,
					 &f->threads[f->started + 1]) == 0)
		f->started++;
	return f;
}

struct sh_feed *sh_feed_new(const struct sh_pool *pool, struct sh_error *err)
{
	return start(pool, SIZE_MAX, err);
}

struct sh_job *sh_feed_job(struct sh_feed *f)
{
	struct sh_job *job = NULL;

	pthread_mutex_lock(&f->lock);
	while (f->status == 0 && f->used == f->n)
		help(f);
	if (f->status == 0) {
		job = &f->jobs[(f->head + f->used) % f->n];
		job->chunk.n = job->out.n = job->aside.n = job->notes.n = job->facts.n = 0;
		job->records = job->rejected = job->ill_formed = job->empty = job->blank = 0;
		job->failed = 0;
		job->finished = false;
	}
	pthread_mutex_unlock(&f->lock);
	return job;
}

void sh_feed_push(struct sh_feed *f)
{
	pthread_mutex_lock(&f->lock);
	f->used++;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

int sh_feed_drain(struct sh_feed *f, struct sh_error *err)
{
	int status;

	pthread_mutex_lock(&f->lock);
	while (f->status == 0 && f->used > 0)
		help(f);
	status = f->status;
	if (status < 0)
		*err = f->err;
	pthread_mutex_unlock(&f->lock);
	return status;
}

void sh_feed_delete(struct sh_feed *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	f->over = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
	for (unsigned i = 1; i <= f->started; i++)
		pthread_join(f->threads[i].id, NULL);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	for (size_t i = 0; f->jobs && i < f->n; i++) {
		sh_buf_free(&f->jobs[i].chunk);
		sh_buf_free(&f->jobs[i].out);
		sh_buf_free(&f->jobs[i].aside);
		sh_buf_free(&f->jobs[i].notes);
		sh_buf_free(&f->jobs[i].facts);
	}
	if (f->cancel >= 0)
		close(f->cancel);
	free(f->threads);
	free(f->jobs);
	free(f);
}

/* Reads the source to its end. The error of writing comes first: the read error is behind all
 * chunks that were read. */
static int feed_source(struct sh_feed *f, struct sh_source *source, struct sh_error *err)
{
	struct sh_error read_err, ignored;
	struct sh_job *job;
	int got = 0;

	while ((job = sh_feed_job(f)) != NULL) {
		got = sh_source_read(source, &job->chunk, &job->from, &read_err);
		if (got <= 0)
			break;
		job->in = sh_buf_slice(&job->chunk);
		sh_feed_push(f);
		/* The next read may wait for a slow writer. */
		if (f->started == 0)
			(void)sh_feed_drain(f, &ignored);
	}
	if (sh_feed_drain(f, err) < 0)
		return -1;
	if (got < 0)
		*err = read_err;
	return got;
}

int sh_pool_run(const struct sh_pool *pool, struct sh_source *source, struct sh_error *err)
{
	int cancel[2] = { -1, -1 }, status = -1;
	struct sh_feed *f;

	if (pool->n_workers > 1 && pipe2(cancel, O_CLOEXEC) < 0)
		return sh_error_sys(err, "cannot make a pipe");
	source->cancel = cancel[0];
	f = start(pool, SIZE_MAX, err);
	if (f) {
		f->cancel = cancel[1];
		status = feed_source(f, source, err);
	} else if (cancel[1] >= 0) {
		close(cancel[1]);
	}
	sh_feed_delete(f);
	source->cancel = -1;
	if (cancel[0] >= 0)
		close(cancel[0]);
	return status;
}

int sh_pool_tasks(const struct sh_pool *pool, size_t n, struct sh_error *err)
{
	struct sh_feed *f = n ? start(pool, n, err) : NULL;
	struct sh_job *job;
	int status;

	for (size_t i = 0; f && i < n && (job = sh_feed_job(f)); i++) {
		job->task = i;
		sh_feed_push(f);
	}
	status = f ? sh_feed_drain(f, err) : n ? -1 : 0;
	sh_feed_delete(f);
	return status;
}
