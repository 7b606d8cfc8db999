#include "io/pool.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct queue {
	const struct sh_pool *pool;
	struct sh_source *source;
	pthread_mutex_t reading; /* held while a chunk is read */
	pthread_mutex_t lock;    /* of all fields below */
	pthread_cond_t
	    changed; /* a job has become free, or `over` is set; the reader waits for it */
	struct sh_job *jobs;
	size_t n;
	struct sh_job **free; /* a stack: the job freed last is still in the cache */
	size_t n_free;
	struct sh_job **order; /* a ring of the jobs in flight, in input order */
	size_t head, used;
	bool writing; /* a thread is in write_finished() */
	bool over;    /* no more chunks are read */
	int cancel[2];
	int status; /* of writing, with err */
	int read_status;
	struct sh_error err, read_err;
};

struct thread {
	struct queue *queue;
	void *worker;
	pthread_t id;
};

static void job_free(struct sh_job *job)
{
	sh_buf_free(&job->chunk);
	sh_buf_free(&job->out);
	sh_buf_free(&job->aside);
	sh_buf_free(&job->notes);
}

/* Reads the next chunk into a job. Returns 1, 0 at the end, or -1. */
static int job_fill(struct sh_job *job, struct sh_source *source, struct sh_error *err)
{
	int got = sh_source_read(source, &job->chunk, &job->from, err);

	job->in = sh_buf_slice(&job->chunk);
	job->out.n = job->aside.n = job->notes.n = 0;
	job->records = job->rejected = job->ill_formed = job->empty = 0;
	job->failed = 0;
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

static int run_alone(const struct sh_pool *pool, struct sh_source *source, struct sh_error *err)
{
	struct sh_job job = { 0 };
	int got;

	while ((got = job_fill(&job, source, err)) > 0) {
		job.failed = pool->work(pool->workers[0], &job);
		got = job_write(pool, &job, err);
		if (got < 0)
			break;
	}
	job_free(&job);
	return got;
}

/* Returns a free job to read into, or NULL when no more chunks are read. */
static struct sh_job *free_job(struct queue *q)
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
static void enqueue(struct queue *q, struct sh_job *job, int got)
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

/* Reads the next chunk. Returns its job, or NULL at the end. */
static struct sh_job *next_job(struct queue *q)
{
	struct sh_job *job;
	int got = 0;

	pthread_mutex_lock(&q->reading);
	job = free_job(q);
	if (job) {
		got = job_fill(job, q->source, &q->read_err);
		enqueue(q, job, got);
	}
	pthread_mutex_unlock(&q->reading);
	return got > 0 ? job : NULL;
}

/* Ends reading. A thread that waits for input returns at once. */
static void cancel(struct queue *q)
{
	q->over = true;
	close(q->cancel[1]);
	q->cancel[1] = -1;
}

/* Writes the oldest job. The caller holds the lock, which is released while the job is written. */
static void write_head(struct queue *q)
{
	struct sh_job *job = q->order[q->head];
	int status;

	pthread_mutex_unlock(&q->lock);
	status = job_write(q->pool, job, &q->err);
	pthread_mutex_lock(&q->lock);
	q->status = status;
	q->head = (q->head + 1) % q->n;
	q->used--;
	q->free[q->n_free++] = job;
	if (status < 0)
		cancel(q);
	pthread_cond_signal(&q->changed);
}

/* Marks the job as finished, then writes jobs while the oldest is finished. If another thread is writing, it
 * writes this job, too. */
static void write_finished(struct queue *q, struct sh_job *job)
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
	struct queue *q = t->queue;
	struct sh_job *job;

	while ((job = next_job(q)) != NULL) {
		job->failed = q->pool->work(t->worker, job);
		write_finished(q, job);
	}
	return NULL;
}

static void run_threads(struct queue *q, struct thread *threads)
{
	unsigned started = 0;

	for (unsigned i = 0; i < q->pool->n_workers; i++)
		threads[i] = (struct thread){ .queue = q, .worker = q->pool->workers[i] };
	while (started + 1 < q->pool->n_workers && pthread_create(&threads[started + 1].id, NULL,
						       work_loop, &threads[started + 1]) == 0)
		started++;
	work_loop(&threads[0]);
	for (unsigned i = 1; i <= started; i++)
		pthread_join(threads[i].id, NULL);
}

static int run_queue(struct queue *q, struct thread *threads, struct sh_error *err)
{
	if (pipe2(q->cancel, O_CLOEXEC) < 0)
		return sh_error_sys(err, "cannot make a pipe");
	pthread_mutex_init(&q->reading, NULL);
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	for (size_t i = 0; i < q->n; i++)
		q->free[q->n_free++] = &q->jobs[i];
	q->source->cancel = q->cancel[0];
	run_threads(q, threads);
	q->source->cancel = -1;
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	pthread_mutex_destroy(&q->reading);
	close(q->cancel[0]);
	if (q->cancel[1] >= 0)
		close(q->cancel[1]);
	/* An error of writing comes first: the read error is behind all chunks that were read. */
	*err = q->status < 0 ? q->err : q->read_err;
	return q->status < 0 ? -1 : q->read_status;
}

int sh_pool_run(const struct sh_pool *pool, struct sh_source *source, struct sh_error *err)
{
	/* Two jobs a worker: one is processed, one waits for an older job to be written. Two more let
	 * reading go on meanwhile. */
	struct queue q = { .pool = pool, .source = source, .n = 2 * (size_t)pool->n_workers + 2 };
	struct thread *threads;
	int status;

	if (pool->n_workers == 1)
		return run_alone(pool, source, err);
	q.jobs = calloc(q.n, sizeof *q.jobs);
	q.free = calloc(q.n, sizeof *q.free);
	q.order = calloc(q.n, sizeof *q.order);
	threads = calloc(pool->n_workers, sizeof *threads);
	status = q.jobs && q.free && q.order && threads ? run_queue(&q, threads, err)
							: sh_error_nomem(err);
	for (size_t i = 0; q.jobs && i < q.n; i++)
		job_free(&q.jobs[i]);
	free(q.jobs);
	free(q.free);
	free(q.order);
	free(threads);
	return status;
}
