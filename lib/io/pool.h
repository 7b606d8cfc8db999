/* Several threads process chunks of lines; the results are written in input order.
 *
 * Each worker reads a chunk, processes it, and writes the finished chunks at the head of the queue. One
 * worker at a time reads, and one at a time writes. The calling thread is one of the workers; with one
 * worker no thread is started. The output is the same for any number of workers, also after an error: all
 * records before the first bad record are written, and none after it. A finished chunk is written at
 * once, even while a reader waits for the next one.
 *
 * The work may also be a range of numbered tasks. Their results are written in the order of the numbers. */
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
	uint64_t at;         /* index of the current line in the chunk, from 0 */
	size_t offset;       /* of the current line in `in`, in bytes */
	uint64_t records, rejected, ill_formed, empty; /* counted by the worker */
	struct sh_sum sum; /* of `out`; set by workers whose output gets a trailer */
	struct sh_error err;
	int failed;  /* -1 when the work ended with *err; else 0 */
	size_t task; /* of sh_pool_tasks(): its number */

	/* Private to the pool. */
	struct sh_buf chunk; /* owns `in` */
	bool finished;
	const struct sh_pool *pool;
	struct sh_pool_queue *queue; /* NULL: there is one worker */
};

struct sh_pool {
	/* Processes job->in with the state of one worker. Returns 0, or -1 with job->err. */
	int (*work)(void *worker, struct sh_job *job);
	void **workers; /* n_workers states */
	unsigned n_workers;
	/* Gets each job in input order, also the job that failed. Called by one thread at a time. Returns 0 or
	 * -1. */
	int (*done)(void *arg, struct sh_job *job, struct sh_error *err);
	void *arg;
};

/* Processes one line, without its LF, and appends to the buffers of the job. Returns 0, or -1 with *err.
 * After SH_ERR_RECORD the line is a bad record, and everything it appended is removed. */
typedef int sh_line_fn(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err);

/* Calls `each` for all lines of job->in. rejects: bad records go to job->aside; otherwise the first one ends
 * the job. Returns 0, or -1 with job->err. */
int sh_job_lines(struct sh_job *job, bool rejects, sh_line_fn *each, void *arg);

/* As sh_job_lines(), with a function that processes several similar records at once. `more` is called at each
 * line. It processes as many good records as it can, which may be none, sets *lines to their number, and
 * returns the beginning of the next line. */
typedef const char *sh_run_fn(
    void *arg, const char *p, const char *end, struct sh_job *job, uint64_t *lines);
int sh_job_runs(struct sh_job *job, bool rejects, sh_line_fn *each, sh_run_fn *more, void *arg);

/* Appends a note for the user about the line with this number in job->from.file. */
int sh_job_note(struct sh_job *job, uint64_t line, const char *text, struct sh_error *err);

/* Returns the number of the current line in its file, from 1. */
static inline uint64_t sh_job_line(const struct sh_job *job)
{
	return job->from.line + job->at;
}

/* For work() when job->out grows: waits until all older jobs are written, then hands the job to done() and
 * empties `out`. So the memory of a run does not depend on the results of one job. Returns 0, or -1 when the
 * run has failed; then *err is set, and work() must end. */
int sh_job_flush(struct sh_job *job, struct sh_error *err);

/* Returns room for `need` bytes behind job->out, or NULL with *err. The caller adds what it wrote to job->out.n.
 * Calls sh_job_flush() when `out` is large. */
char *sh_job_room(struct sh_job *job, size_t need, struct sh_error *err);

/* Processes the source to its end. Returns 0, or -1 with the first error in input order. Fewer workers run
 * when not all threads can be started. */
int sh_pool_run(const struct sh_pool *pool, struct sh_source *source, struct sh_error *err);

/* Processes the tasks 0 .. n-1: each is a job without input. Returns as sh_pool_run() does. */
int sh_pool_tasks(const struct sh_pool *pool, size_t n, struct sh_error *err);

/* The same for a caller that makes the jobs itself: one thread fills jobs and pushes them.
 *
 *     while ((job = sh_feed_job(f)) != NULL)
 *             ... job->chunk ...
 *             sh_feed_push(f, job);
 */
struct sh_feed;

struct sh_feed *sh_feed_new(const struct sh_pool *pool, struct sh_error *err);

/* Returns an empty job. Works on other jobs while none is free. NULL: the run has failed; sh_feed_drain() has
 * the error. */
struct sh_job *sh_feed_job(struct sh_feed *f);
void sh_feed_push(struct sh_feed *f, struct sh_job *job);

/* Works until all pushed jobs are written. Returns 0, or -1 with the first error in the order of the jobs. */
int sh_feed_drain(struct sh_feed *f, struct sh_error *err);

/* Ends the threads. Jobs that were not drained may be lost. */
void sh_feed_delete(struct sh_feed *f);

#endif
