/* SPDX-License-Identifier: MIT */
#include "io/pool.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { OUT_FULL = 1 << 18 };

struct sh_pool_queue {
	const struct sh_pool *pool;
	struct sh_source *source; /* NULL: the work is numbered tasks */
	size_t next, n_tasks;
	pthread_mutex_t reading; /* held while a chunk is read */
	pthread_mutex_t lock;    /* of all fields below */
	pthread_cond_t changed;  /* a job was written, or `over` is set */
	struct sh_job *jobs;
	size_t n;
	struct sh_job **free; /* a stack: the job freed last is still in the cache */
	size_t n_free;
	struct sh_job **order; /* a ring of the jobs in flight, in input order */
	size_t head, used;
	size_t begun; /* of a feed: the jobs of the ring that a worker has taken */
	bool writing; /* a thread is in write_finished() */
	bool over;    /* no more chunks are read */
	int cancel[2];
	int status; /* of writing, with err */
	int read_status;
	struct sh_error err, read_err;
};

struct thread {
	struct sh_pool_queue *queue;
	void *worker;
	pthread_t id;
};

static void job_free(struct sh_job *job)
{
	sh_buf_free(&job->chunk);
	sh_buf_free(&job->out);
	sh_buf_free(&job->aside);
	sh_buf_free(&job->notes);
	sh_buf_free(&job->facts);
}

static void job_empty(struct sh_job *job)
{
	job->out.n = job->aside.n = job->notes.n = job->facts.n = 0;
	job->records = job->rejected = job->ill_formed = job->empty = job->blank = 0;
	job->failed = 0;
}

/* Gives a job the next chunk or task. Returns 1, 0 at the end, or -1. */
static int job_fill(struct sh_pool_queue *q, struct sh_job *job, struct sh_error *err)
{
	int got;

	if (q->source) {
		got = sh_source_read(q->source, &job->chunk, &job->from, err);
		job->in = sh_buf_slice(&job->chunk);
	} else {
		got = q->next < q->n_tasks;
		job->task = q->next++;
	}
	job_empty(job);
	return got;
}

/* Writes a finished job. Returns 0, or -1 with the error of the job or of writing. */
static int job_write(const struct sh_pool *pool, struct sh_job *job, struct sh_error *err)
{
	if (pool->done(pool->arg, job, err) < 0)
		return -1;
	if (job->failed)
		*err = job->err;
	return job->failed;
}

static int run_alone(struct sh_pool_queue *q, struct sh_error *err)
{
	const struct sh_pool *pool = q->pool;
	struct sh_job job = { .pool = pool };
	int got;

	while ((got = job_fill(q, &job, err)) > 0) {
		job.failed = pool->work(pool->workers[0], &job);
		got = job_write(pool, &job, err);
		if (got < 0)
			break;
	}
	job_free(&job);
	return got;
}

/* Returns a free job to read into, or NULL when no more chunks are read. */
static struct sh_job *free_job(struct sh_pool_queue *q)
{
	struct sh_job *job;

	pthread_mutex_lock(&q->lock);
	while (!q->over && q->n_free == 0)
		pthread_cond_wait(&q->changed, &q->lock);
	job = q->over ? NULL : q->free[--q->n_free];
	pthread_mutex_unlock(&q->lock);
	return job;
}

/* Appends a job to the queue when got > 0; otherwise ends reading, with the status `got`. */
static void enqueue(struct sh_pool_queue *q, struct sh_job *job, int got)
{
	pthread_mutex_lock(&q->lock);
	if (got > 0) {
		job->finished = false;
		q->order[(q->head + q->used++) % q->n] = job;
	} else {
		q->over = true;
		q->read_status = got;
	}
	pthread_mutex_unlock(&q->lock);
}

/* Waits for the turn to read. Meanwhile reads later operands ahead. */
static void begin_reading(struct sh_pool_queue *q)
{
	while (pthread_mutex_trylock(&q->reading) != 0)
		if (!q->source || !sh_source_ahead(q->source)) {
			pthread_mutex_lock(&q->reading);
			return;
		}
}

/* Reads the next chunk. Returns its job, or NULL at the end. */
static struct sh_job *next_job(struct sh_pool_queue *q)
{
	struct sh_job *job;
	int got = 0;

	begin_reading(q);
	job = free_job(q);
	if (job) {
		got = job_fill(q, job, &q->read_err);
		enqueue(q, job, got);
	}
	pthread_mutex_unlock(&q->reading);
	return got > 0 ? job : NULL;
}

/* Ends reading. A thread that waits for input returns at once. */
static void cancel(struct sh_pool_queue *q)
{
	q->over = true;
	if (q->source)
		close(q->cancel[1]);
	q->cancel[1] = -1;
}

/* Writes the oldest job. The caller holds the lock, which is released while the job is written. */
static void write_head(struct sh_pool_queue *q)
{
	struct sh_job *job = q->order[q->head];
	int status;

	pthread_mutex_unlock(&q->lock);
	status = job_write(q->pool, job, &q->err);
	pthread_mutex_lock(&q->lock);
	q->status = status;
	q->head = (q->head + 1) % q->n;
	q->used--;
	q->begun -= q->begun > 0;
	q->free[q->n_free++] = job;
	if (status < 0)
		cancel(q);
	pthread_cond_broadcast(&q->changed);
}

int sh_job_turn(struct sh_job *job, struct sh_error *err)
{
	struct sh_pool_queue *q = job->queue;
	int status;

	if (!q)
		return 0;
	pthread_mutex_lock(&q->lock);
	while (q->status == 0 && q->order[q->head] != job)
		pthread_cond_wait(&q->changed, &q->lock);
	status = q->status;
	pthread_mutex_unlock(&q->lock);
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

/* Marks the job as finished, then writes jobs while the oldest job is finished. A thread that is
 * already writing writes this job, too. */
static void write_finished(struct sh_pool_queue *q, struct sh_job *job)
{
	pthread_mutex_lock(&q->lock);
	job->finished = true;
	if (!q->writing) {
		q->writing = true;
		while (q->status == 0 && q->used && q->order[q->head]->finished)
			write_head(q);
		q->writing = false;
	}
	pthread_mutex_unlock(&q->lock);
}

static void *work_loop(void *arg)
{
	const struct thread *t = arg;
	struct sh_pool_queue *q = t->queue;
	struct sh_job *job;

	while ((job = next_job(q)) != NULL) {
		job->failed = q->pool->work(t->worker, job);
		write_finished(q, job);
	}
	return NULL;
}

static void run_threads(struct sh_pool_queue *q, struct thread *threads)
{
	unsigned started = 0, n = q->pool->n_workers;

	if (!q->source && q->n_tasks < n)
		n = (unsigned)q->n_tasks;
	for (unsigned i = 0; i < n; i++)
		threads[i] = (struct thread){ .queue = q, .worker = q->pool->workers[i] };
	while (started + 1 < n && pthread_create(&threads[started + 1].id, NULL, work_loop,
				      &threads[started + 1]) == 0)
		started++;
	work_loop(&threads[0]);
	for (unsigned i = 1; i <= started; i++)
		pthread_join(threads[i].id, NULL);
}

static int jobs_new(struct sh_pool_queue *q)
{
	q->n = sh_pool_jobs(q->pool->n_workers);
	q->jobs = calloc(q->n, sizeof *q->jobs);
	q->free = calloc(q->n, sizeof *q->free);
	q->order = calloc(q->n, sizeof *q->order);
	if (!q->jobs || !q->free || !q->order)
		return -1;
	for (size_t i = 0; i < q->n; i++) {
		q->jobs[i].pool = q->pool;
		q->jobs[i].queue = q;
		q->free[q->n_free++] = &q->jobs[i];
	}
	pthread_mutex_init(&q->reading, NULL);
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	return 0;
}

static void jobs_delete(struct sh_pool_queue *q)
{
	if (q->n_free) {
		pthread_cond_destroy(&q->changed);
		pthread_mutex_destroy(&q->lock);
		pthread_mutex_destroy(&q->reading);
	}
	for (size_t i = 0; q->jobs && i < q->n; i++)
		job_free(&q->jobs[i]);
	free(q->jobs);
	free(q->free);
	free(q->order);
}

static int run_queue(struct sh_pool_queue *q, struct thread *threads, struct sh_error *err)
{
	if (q->source && pipe2(q->cancel, O_CLOEXEC) < 0)
		return sh_error_sys(err, "cannot make a pipe");
	if (q->source) {
		q->source->cancel = q->cancel[0];
		sh_source_use_threads(q->source, q->pool->n_workers);
	}
	run_threads(q, threads);
	if (q->source) {
		q->source->cancel = -1;
		close(q->cancel[0]);
		if (q->cancel[1] >= 0)
			close(q->cancel[1]);
	}
	/* An error of writing comes first: the read error is behind all chunks that were read. */
	*err = q->status < 0 ? q->err : q->read_err;
	return q->status < 0 ? -1 : q->read_status;
}

static int run(struct sh_pool_queue *q, struct sh_error *err)
{
	struct thread *threads;
	int status;

	if (q->pool->n_workers == 1 || (!q->source && q->n_tasks <= 1))
		return run_alone(q, err);
	threads = calloc(q->pool->n_workers, sizeof *threads);
	status = threads && jobs_new(q) == 0 ? run_queue(q, threads, err) : sh_error_nomem(err);
	jobs_delete(q);
	free(threads);
	return status;
}

int sh_pool_run(const struct sh_pool *pool, struct sh_source *source, struct sh_error *err)
{
	struct sh_pool_queue q = { .pool = pool, .source = source };

	return run(&q, err);
}

int sh_pool_tasks(const struct sh_pool *pool, size_t n, struct sh_error *err)
{
	struct sh_pool_queue q = { .pool = pool, .n_tasks = n };

	return run(&q, err);
}

/* ---- a feed --------------------------------------------------------------------------- */

struct sh_feed {
	struct sh_pool_queue queue;
	struct thread *threads;
	unsigned started;
};

/* Takes the next pushed job. The caller holds the lock. Returns NULL when there is none. */
static struct sh_job *begin_job(struct sh_pool_queue *q)
{
	if (q->begun == q->used || q->status < 0)
		return NULL;
	return q->order[(q->head + q->begun++) % q->n];
}

static void do_job(const struct thread *t, struct sh_job *job)
{
	job->failed = t->queue->pool->work(t->worker, job);
	write_finished(t->queue, job);
}

static void *feed_loop(void *arg)
{
	const struct thread *t = arg;
	struct sh_pool_queue *q = t->queue;
	struct sh_job *job;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (!(job = begin_job(q)) && !q->over)
			pthread_cond_wait(&q->changed, &q->lock);
		pthread_mutex_unlock(&q->lock);
		if (!job)
			return NULL;
		do_job(t, job);
		pthread_mutex_lock(&q->lock);
	}
}

struct sh_feed *sh_feed_new(const struct sh_pool *pool, struct sh_error *err)
{
	struct sh_feed *f = calloc(1, sizeof *f);

	if (!f) {
		sh_error_nomem(err);
		return NULL;
	}
	f->queue.pool = pool;
	f->threads = calloc(pool->n_workers, sizeof *f->threads);
	if (!f->threads || jobs_new(&f->queue) < 0) {
		sh_error_nomem(err);
		sh_feed_delete(f);
		return NULL;
	}
	for (unsigned i = 0; i < pool->n_workers; i++)
		f->threads[i] = (struct thread){ .queue = &f->queue, .worker = pool->workers[i] };
	while (
	    f->started + 1 < pool->n_workers && pthread_create(&f->threads[f->started + 1].id, NULL,
						    feed_loop, &f->threads[f->started + 1]) == 0)
		f->started++;
	return f;
}

/* Works, or waits for a change. The caller holds the lock. */
static void help(struct sh_feed *f)
{
	struct sh_pool_queue *q = &f->queue;
	struct sh_job *job = begin_job(q);

	if (!job) {
		pthread_cond_wait(&q->changed, &q->lock);
		return;
	}
	pthread_mutex_unlock(&q->lock);
	do_job(&f->threads[0], job);
	pthread_mutex_lock(&q->lock);
}

struct sh_job *sh_feed_job(struct sh_feed *f)
{
	struct sh_pool_queue *q = &f->queue;
	struct sh_job *job = NULL;

	pthread_mutex_lock(&q->lock);
	while (q->status == 0 && q->n_free == 0)
		help(f);
	if (q->status == 0)
		job = q->free[--q->n_free];
	pthread_mutex_unlock(&q->lock);
	if (job) {
		job_empty(job);
		job->chunk.n = 0;
	}
	return job;
}

void sh_feed_push(struct sh_feed *f, struct sh_job *job)
{
	struct sh_pool_queue *q = &f->queue;

	pthread_mutex_lock(&q->lock);
	job->finished = false;
	q->order[(q->head + q->used++) % q->n] = job;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

int sh_feed_drain(struct sh_feed *f, struct sh_error *err)
{
	struct sh_pool_queue *q = &f->queue;
	int status;

	pthread_mutex_lock(&q->lock);
	while (q->status == 0 && q->used > 0)
		help(f);
	status = q->status;
	if (status < 0)
		*err = q->err;
	pthread_mutex_unlock(&q->lock);
	return status;
}

void sh_feed_delete(struct sh_feed *f)
{
	if (!f)
		return;
	if (f->started) {
		pthread_mutex_lock(&f->queue.lock);
		f->queue.over = true;
		pthread_cond_broadcast(&f->queue.changed);
		pthread_mutex_unlock(&f->queue.lock);
	}
	for (unsigned i = 1; i <= f->started; i++)
		pthread_join(f->threads[i].id, NULL);
	jobs_delete(&f->queue);
	free(f->threads);
	free(f);
}
