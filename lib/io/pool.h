/* Several threads process chunks of lines; the results are written in input order.
 *
 * Each worker reads a chunk, processes it, and writes the finished chunks at the head of the queue. One
 * worker at a time reads, and one at a time writes. The calling thread is one of the workers; with one
 * worker no thread is started. The output is the same for any number of workers, also after an error: all
 * records before the first bad record are written, and none after it. A finished chunk is written at
 * once, even while a reader waits for the next one. */
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
	int failed;          /* -1 when the work ended with *err; else 0 */
	struct sh_buf chunk; /* owns `in` */
	bool finished;       /* private to the pool */
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

/* Processes the source to its end. Returns 0, or -1 with the first error in input order. Fewer workers run
 * when not all threads can be started. */
int sh_pool_run(const struct sh_pool *pool, struct sh_source *source, struct sh_error *err);

#endif
