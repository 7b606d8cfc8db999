#include "io/pool.h"

#include <pthread.h>
#include <stdlib.h>

enum { FREE, READY, RUNNING, DONE };

/* The jobs form a ring in input order: head is the oldest, `used` are not free. */
struct ring {
	const struct sh_pool *pool;
	struct sh_job *jobs;
	size_t n, head, used;
	bool stop;
	pthread_mutex_t lock;
	pthread_cond_t ready; /* a job became READY, or stop */
	pthread_cond_t done;  /* a job became DONE */
};

struct seat {
	struct ring *ring;
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

static struct sh_job *find_ready(struct ring *r)
{
	for (size_t i = 0; i < r->used; i++) {
		struct sh_job *job = &r->jobs[(r->head + i) % r->n];

		if (job->state == READY)
			return job;
	}
	return NULL;
}

static void *work_loop(void *arg)
{
	struct seat *seat = arg;
	struct ring *r = seat->ring;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		struct sh_job *job = find_ready(r);

		if (r->stop)
			break;
		if (!job) {
			pthread_cond_wait(&r->ready, &r->lock);
			continue;
		}
		job->state = RUNNING;
		pthread_mutex_unlock(&r->lock);
		job->failed = r->pool->work(seat->worker, job);
		pthread_mutex_lock(&r->lock);
		job->state = DONE;
		pthread_cond_signal(&r->done);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Wait for the oldest job and hand it on. */
static int retire_head(struct ring *r, struct sh_error *err)
{
	struct sh_job *job = &r->jobs[r->head];
	int status;

	pthread_mutex_lock(&r->lock);
	while (job->state != DONE)
		pthread_cond_wait(&r->done, &r->lock);
	pthread_mutex_unlock(&r->lock);
	status = job_finish(r->pool, job, err);
	pthread_mutex_lock(&r->lock);
	job->state = FREE;
	r->head = (r->head + 1) % r->n;
	r->used--;
	pthread_mutex_unlock(&r->lock);
	return status;
}

static bool head_is_done(struct ring *r)
{
	bool done;

	pthread_mutex_lock(&r->lock);
	done = r->used && r->jobs[r->head].state == DONE;
	pthread_mutex_unlock(&r->lock);
	return done;
}

static int feed(struct ring *r, struct sh_source *source, struct sh_error *err)
{
	for (;;) {
		struct sh_job *job;
		int got;

		/* What is finished goes out before a slow writer is waited for. */
		if (r->used == r->n || head_is_done(r) || (r->used && !sh_source_ready(source))) {
			if (retire_head(r, err) < 0)
				return -1;
			continue;
		}
		job = &r->jobs[(r->head + r->used) % r->n];
		got = job_fill(job, source, err);
		if (got <= 0) {
			struct sh_error later = *err;

			/* Everything before the unreadable place is still written. */
			while (r->used)
				if (retire_head(r, err) < 0)
					return -1;
			if (got < 0)
				*err = later;
			return got;
		}
		pthread_mutex_lock(&r->lock);
		job->state = READY;
		r->used++;
		pthread_cond_signal(&r->ready);
		pthread_mutex_unlock(&r->lock);
	}
}

static int start(struct ring *r, struct seat *seats, unsigned *started, struct sh_error *err)
{
	for (*started = 0; *started < r->pool->n_workers; ++*started) {
		struct seat *seat = &seats[*started];

		*seat = (struct seat){ .ring = r, .worker = r->pool->workers[*started] };
		if (pthread_create(&seat->thread, NULL, work_loop, seat) != 0)
			return sh_error_set(err, SH_ERR_NOMEM, "cannot start thread %u of %u",
			    *started + 1, r->pool->n_workers);
	}
	return 0;
}

static void stop(struct ring *r, struct seat *seats, unsigned started)
{
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_broadcast(&r->ready);
	pthread_mutex_unlock(&r->lock);
	for (unsigned i = 0; i < started; i++)
		pthread_join(seats[i].thread, NULL);
}

static int run_ring(
    struct ring *r, struct seat *seats, struct sh_source *source, struct sh_error *err)
{
	unsigned started;
	int status;

	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->ready, NULL);
	pthread_cond_init(&r->done, NULL);
	status = start(r, seats, &started, err);
	if (status == 0)
		status = feed(r, source, err);
	stop(r, seats, started);
	pthread_cond_destroy(&r->done);
	pthread_cond_destroy(&r->ready);
	pthread_mutex_destroy(&r->lock);
	return status;
}

int sh_pool_run(const struct sh_pool *pool, struct sh_source *source, struct sh_error *err)
{
	struct ring r = { .pool = pool, .n = 2 * (size_t)pool->n_workers + 2 };
	struct seat *seats;
	int status;

	if (pool->n_workers == 1)
		return run_alone(pool, source, err);
	r.jobs = calloc(r.n, sizeof *r.jobs);
	seats = calloc(pool->n_workers, sizeof *seats);
	status = r.jobs && seats ? run_ring(&r, seats, source, err) : sh_error_nomem(err);
	for (size_t i = 0; r.jobs && i < r.n; i++)
		job_free(&r.jobs[i]);
	free(r.jobs);
	free(seats);
	return status;
}
