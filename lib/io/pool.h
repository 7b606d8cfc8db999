/* Blocks of lines worked on by several threads, results written in input order.
 *
 * A worker reads a block, computes, and hands it on: one at a time reads, one at a time
 * writes what is finished, so a block stays with one processor. The calling thread is one
 * of the workers; with one no thread is started. The output is the same for any number of
 * workers, errors included: what stands before the first bad record is written, nothing
 * after it. What is finished is written at once, however long the next block takes to come. */
#ifndef SH_IO_POOL_H
#define SH_IO_POOL_H

#include "io/sink.h"
#include "io/source.h"

struct sh_job {
	struct sh_origin from;
	struct sh_slice in;  /* whole lines, SH_PAD readable bytes behind them */
	struct sh_buf out;   /* what to write to the output */
	struct sh_buf aside; /* what to write beside it: rejected records */
	struct sh_buf notes; /* lines for the user, without the program's name */
	uint64_t at;         /* which of the block's lines is being worked on, from 0 */
	size_t offset;       /* where that line begins in `in` */
	uint64_t records, rejected, ill_formed, empty; /* counted by the worker */
	struct sh_sum sum; /* of `out`, when the worker wants it known */
	struct sh_error err;
	int failed;          /* the work ended early with *err */
	struct sh_buf block; /* owns `in` */
	bool finished;       /* of the pool alone */
};

struct sh_pool {
	/* Work on job->in with one worker's own state; 0, or -1 with job->err. */
	int (*work)(void *worker, struct sh_job *job);
	void **workers; /* one state a worker */
	unsigned n_workers;
	/* Called in input order, by one thread at a time, also for the job that failed; 0 or -1. */
	int (*done)(void *arg, struct sh_job *job, struct sh_error *err);
	void *arg;
};

/* What a worker does with one line, without its LF: append to job->out and the rest, 0 or
 * -1 with *err. SH_ERR_RECORD makes the line a bad record: what it had appended is taken back. */
typedef int sh_line_fn(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err);

/* All lines of job->in; bad records go to job->aside when `rejects`. 0 or -1 with job->err. */
int sh_job_lines(struct sh_job *job, bool rejects, sh_line_fn *each, void *arg);

/* The same for records of which many are alike: `more` is asked at each line how many lines
 * from there it can take at once. It takes them, sets *lines, and returns where the next
 * one begins; it may take none. It must not take a bad record. */
typedef const char *sh_run_fn(
    void *arg, const char *p, const char *end, struct sh_job *job, uint64_t *lines);
int sh_job_runs(struct sh_job *job, bool rejects, sh_line_fn *each, sh_run_fn *more, void *arg);

/* Append a note for the user about the line with this number in job->from.file. */
int sh_job_note(struct sh_job *job, uint64_t line, const char *text, struct sh_error *err);

/* The number in its file of the line that is being worked on. */
static inline uint64_t sh_job_line(const struct sh_job *job)
{
	return job->from.line + job->at;
}

/* All that the source has: 0, or -1 with the first error in input order. Of the workers as many
 * run as threads can be started. */
int sh_pool_run(const struct sh_pool *pool, struct sh_source *source, struct sh_error *err);

#endif
