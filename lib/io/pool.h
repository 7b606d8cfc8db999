/* SPDX-License-Identifier: MIT */
/* Several threads process chunks of lines. The results are written in input order.
 *
 * The calling thread reads the chunks, and works while as many as are allowed are in flight. Any
 * worker writes finished chunks, the oldest first, one worker at a time. The output is the same for
 * any number of workers, also after an error: all records before the first bad record are written,
 * and no record after it. A finished chunk is written at once, even while the next one is read.
 *
 * The work may also be numbered tasks. Results are written in the order of the numbers. */
#ifndef SH_IO_POOL_H
#define SH_IO_POOL_H

#include "io/sink.h"
#include "io/source.h"

struct sh_job {
	struct sh_origin from;
	struct sh_slice in;  /* whole lines; SH_PAD readable bytes follow them */
	struct sh_buf out;   /* records for the output */
	struct sh_buf aside; /* rejected records, for the file of --rejects */
	struct sh_buf notes; /* lines for standard error, without the program's name */
	struct sh_buf facts; /* bytes for done(), in a form that work() and done() agree on */
	uint64_t at;         /* lines of `in` before the current line */
	size_t offset;       /* bytes of `in` before the current line */
	uint64_t records, rejected; /* good records; bad records */
	uint64_t ill_formed, empty; /* sequences of UTF-8; documents without features */
	uint64_t blank;             /* blank lines that are no records */
	struct sh_error err;
	int failed;  /* -1 when work() failed with `err`; else 0 */
	size_t task; /* in sh_pool_tasks(): number of the task */
	/* The job has output only: a part of the output of another job, see sh_job_flush(). */
	bool part;

	/* Private to the pool. The caller of a feed, and work() of a task, may fill `chunk`. */
	struct sh_buf chunk; /* may own `in` */
	bool finished;
	const struct sh_pool *pool;
	struct sh_feed *feed; /* NULL: a job outside of a pool, for sh_job_flush() */
};

struct sh_pool {
	/* Processes job->in with the state of one worker. Returns 0, or -1 with job->err. */
	int (*work)(void *worker, struct sh_job *job);
	void **workers; /* n_workers states */
	unsigned n_workers;
	/* Writes the results of a job. Called in input order, also for the job that failed, and by
	 * sh_job_flush(). One thread at a time calls it. Returns 0 or -1. */
	int (*done)(void *arg, struct sh_job *job, struct sh_error *err);
	void *arg;
};

/* Processes one line, without its LF, and appends to the buffers of the job. Returns 0, or -1 with
 * *err; after -1 the caller removes the appended bytes. SH_ERR_RECORD: the line is a bad record. */
typedef int sh_line_fn(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err);

/* Calls `each` for all lines of job->in, or for all records of CSV. rejects: copies bad records to
 * job->aside; otherwise the first bad record ends the job. Returns 0, or -1 with job->err. */
int sh_job_lines(struct sh_job *job, bool rejects, sh_line_fn *each, void *arg);

/* As sh_job_lines(), but calls `more` before each call of `each`. `more` processes good records
 * from p on, perhaps none. `more` sets *lines to the number of these records, and returns the
 * beginning of the next line. */
typedef const char *sh_run_fn(
    void *arg, const char *p, const char *end, struct sh_job *job, uint64_t *lines);
int sh_job_runs(struct sh_job *job, bool rejects, sh_line_fn *each, sh_run_fn *more, void *arg);

/* Appends a note for the user. line: number of the line in the file, from 1. The text has no LF. */
int sh_job_note(
    struct sh_job *job, const char *file, uint64_t line, const char *text, struct sh_error *err);

/* Returns the number of the current line in its file, from 1. */
static inline uint64_t sh_job_line(const struct sh_job *job)
{
	return job->from.line + job->at;
}

/* For work(), when its result depends on older jobs: waits until all older jobs are written.
 * Returns 0; or -1 with *err, and then work() must return -1. */
int sh_job_turn(struct sh_job *job, struct sh_error *err);

/* For work(), when job->out is large: waits until all older jobs are written, calls done() with a
 * part that has the output of this job, and empties `out`, but no other member. Returns 0; or -1
 * with *err, and then work() must return -1. */
int sh_job_flush(struct sh_job *job, struct sh_error *err);

/* Returns room for `need` bytes behind job->out, or NULL with *err. The caller adds the number of
 * bytes written to job->out.n. Calls sh_job_flush() when `out` is large. */
char *sh_job_room(struct sh_job *job, size_t need, struct sh_error *err);

/* Processes the source to its end. Returns 0, or -1 with the first error in input order. Runs with
 * fewer threads when the system refuses more. */
int sh_pool_run(const struct sh_pool *pool, struct sh_source *source, struct sh_error *err);

/* Processes the tasks 0 .. n-1. Each task is a job without input. Returns as sh_pool_run() does. */
int sh_pool_tasks(const struct sh_pool *pool, size_t n, struct sh_error *err);

/* A feed is a pool for a caller that makes the input of jobs itself, in one thread.
 *
 *     while ((job = sh_feed_job(f)) != NULL) {
 *             ... append input to job->chunk ...
 *             sh_feed_push(f);
 *     }
 */
struct sh_feed;

/* Starts the threads. The pool is borrowed. */
struct sh_feed *sh_feed_new(const struct sh_pool *pool, struct sh_error *err);

/* Returns an empty job. Works on pushed jobs while no job is free. NULL: the run has failed, and
 * sh_feed_drain() gives the error. */
struct sh_job *sh_feed_job(struct sh_feed *f);
/* Queues the job of the last sh_feed_job(). Results are written in the order of these calls. */
void sh_feed_push(struct sh_feed *f);

/* Works until all pushed jobs are written. Returns 0, or -1 with the first error in the order of
 * pushes. */
int sh_feed_drain(struct sh_feed *f, struct sh_error *err);

/* Ends the threads. Jobs pushed since the last sh_feed_drain() may be lost. */
void sh_feed_delete(struct sh_feed *f);

#endif
