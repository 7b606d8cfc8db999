#include "io/pool.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct line_up {
	const struct sh_pool *pool;
	struct sh_source *source;
	pthread_mutex_t reading; /* on the source, over a whole read */
	pthread_mutex_t lock;    /* on all that follows */
	pthread_cond_t changed;  /* a job is spare again, or it is over: who reads waits for it */
	struct sh_job *jobs;
	size_t n;
	struct sh_job *
	    *spare; /* the last one first: it is still in the cache of who handed it on */
	size_t n_spare;
	struct sh_job **order; /* a ring of those under way, in input order */
	size_t head, used;
	bool writing; /* somebody hands on what is finished */
	bool over;    /* nothing more is read */
	int call_off[2];
	int status; /* of handing on, with err */
	int read_status;
	struct sh_error err, read_err;
};

struct seat {
	struct line_up *line_up;
	void *worker;
	pthread_t thread;
};

static void job_free(struct sh_job *job)
{
	sh_buf_free(&job->block);
	sh_buf_free(&job->out);
	sh_buf_free(&job->aside);
	sh_buf_free(&job->notes);
}

/* Read the next block into a job: 1, 0 at the end, -1. */
static int job_fill(struct sh_job *job, struct sh_source *source, struct sh_error *err)
{
	int got = sh_source_read(source, &job->block, &job->from, err);

	job->in = sh_buf_slice(&job->block);
	job->out.n = job->aside.n = job->notes.n = 0;
	job->records = job->rejected = job->ill_formed = job->empty = 0;
	job->failed = 0;
	return got;
}

/* Hand a finished job on: 0, or -1 with the job's error or the writer's. */
static int job_finish(const struct sh_pool *pool, struct sh_job *job, struct sh_error *err)
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
		got = job_finish(pool, &job, err);
		if (got < 0)
			break;
	}
	job_free(&job);
	return got;
}

/* A job to read into, or NULL when it is over. */
static struct sh_job *spare_job(struct line_up *l)
{
	struct sh_job *job;

	pthread_mutex_lock(&l->lock);
	while (!l->over && l->n_spare == 0)
		pthread_cond_wait(&l->changed, &l->lock);
	job = l->over ? NULL : l->spare[--l->n_spare];
	pthread_mutex_unlock(&l->lock);
	return job;
}

/* What has been read joins the others, in the source's order; or reading ends. */
static void take_in(struct line_up *l, struct sh_job *job, int got)
{
	pthread_mutex_lock(&l->lock);
	if (got > 0) {
		job->finished = false;
		l->order[(l->head + l->used++) % l->n] = job;
	} else {
		l->over = true;
		l->read_status = got;
	}
	pthread_mutex_unlock(&l->lock);
}

/* Read the next block, or return NULL at the end. */
static struct sh_job *next_job(struct line_up *l)
{
	struct sh_job *job;
	int got = 0;

	pthread_mutex_lock(&l->reading);
	job = spare_job(l);
	if (job) {
		got = job_fill(job, l->source, &l->read_err);
		take_in(l, job, got);
	}
	pthread_mutex_unlock(&l->reading);
	return got > 0 ? job : NULL;
}

/* Nothing more is to be read, also by who is waiting for the source now. */
static void call_off(struct line_up *l)
{
	l->over = true;
	close(l->call_off[1]);
	l->call_off[1] = -1;
}

/* Hand on the oldest job; the lock is held, but for that. */
static void write_head(struct line_up *l)
{
	struct sh_job *job = l->order[l->head];
	int status;

	pthread_mutex_unlock(&l->lock);
	status = job_finish(l->pool, job, &l->err);
	pthread_mutex_lock(&l->lock);
	l->status = status;
	l->head = (l->head + 1) % l->n;
	l->used--;
	l->spare[l->n_spare++] = job;
	if (status < 0)
		call_off(l);
	pthread_cond_signal(&l->changed);
}

/* This job is finished. Whoever writes already will find it; else this thread writes, as long
 * as what is the oldest then is finished, too. */
static void hand_on(struct line_up *l, struct sh_job *job)
{
	pthread_mutex_lock(&l->lock);
	job->finished = true;
	if (!l->writing) {
		l->writing = true;
		while (l->status == 0 && l->used && l->order[l->head]->finished)
			write_head(l);
		l->writing = false;
	}
	pthread_mutex_unlock(&l->lock);
}

static void *work_loop(void *arg)
{
	const struct seat *seat = arg;
	struct line_up *l = seat->line_up;
	struct sh_job *job;

	while ((job = next_job(l)) != NULL) {
		job->failed = l->pool->work(seat->worker, job);
		hand_on(l, job);
	}
	return NULL;
}

static void run_seats(struct line_up *l, struct seat *seats)
{
	unsigned started = 0;

	for (unsigned i = 0; i < l->pool->n_workers; i++)
		seats[i] = (struct seat){ .line_up = l, .worker = l->pool->workers[i] };
	while (started + 1 < l->pool->n_workers && pthread_create(&seats[started + 1].thread, NULL,
						       work_loop, &seats[started + 1]) == 0)
		started++;
	work_loop(&seats[0]);
	for (unsigned i = 1; i <= started; i++)
		pthread_join(seats[i].thread, NULL);
}

static int run_line_up(struct line_up *l, struct seat *seats, struct sh_error *err)
{
	if (pipe2(l->call_off, O_CLOEXEC) < 0)
		return sh_error_sys(err, "cannot make a pipe");
	pthread_mutex_init(&l->reading, NULL);
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	for (size_t i = 0; i < l->n; i++)
		l->spare[l->n_spare++] = &l->jobs[i];
	l->source->call_off = l->call_off[0];
	run_seats(l, seats);
	l->source->call_off = -1;
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	pthread_mutex_destroy(&l->reading);
	close(l->call_off[0]);
	if (l->call_off[1] >= 0)
		close(l->call_off[1]);
	/* An unreadable place is behind all that was handed on. */
	*err = l->status < 0 ? l->err : l->read_err;
	return l->status < 0 ? -1 : l->read_status;
}

int sh_pool_run(const struct sh_pool *pool, struct sh_source *source, struct sh_error *err)
{
	/* One that is read, one that waits for an older one, for each; and some for the order's sake. */
	struct line_up l = { .pool = pool, .source = source, .n = 2 * (size_t)pool->n_workers + 2 };
	struct seat *seats;
	int status;

	if (pool->n_workers == 1)
		return run_alone(pool, source, err);
	l.jobs = calloc(l.n, sizeof *l.jobs);
	l.spare = calloc(l.n, sizeof *l.spare);
	l.order = calloc(l.n, sizeof *l.order);
	seats = calloc(pool->n_workers, sizeof *seats);
	status = l.jobs && l.spare && l.order && seats ? run_line_up(&l, seats, err)
						       : sh_error_nomem(err);
	for (size_t i = 0; l.jobs && i < l.n; i++)
		job_free(&l.jobs[i]);
	free(l.jobs);
	free(l.spare);
	free(l.order);
	free(seats);
	return status;
}
