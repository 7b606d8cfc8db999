/* Several threads process buckets of adjacent lines. All lines of a bucket have the same first
 * field, their key.
 *
 * The chunks of the source end with whole buckets where they can (sh_source.border), so each worker
 * has buckets of its own. A chunk may also end within a bucket: then the worker hands its state to
 * the worker of the next chunk. Both wait for their turn, which keeps the order. One worker keeps
 * its state, and its chunks end anywhere.
 *
 * The order of the keys is checked in the order of the lines, before the results of the next bucket
 * are written.
 *
 *     sh_bucket_lines_init(&buckets, &calls, threads, err);
 *     buckets.state[i].own = ...;      sh_bucket_lines_states(threads) states
 *     sh_bucket_lines_source(&buckets, &source, most);
 *     sh_pool_run(): work is sh_bucket_lines_work(), its workers are &buckets.worker[i], done()
 *         calls sh_bucket_lines_done() and then writes job->out
 *     sh_pool_tasks() with one task: work is sh_bucket_lines_end(), which ends the last bucket */
#ifndef SH_JOIN_BUCKETLINES_H
#define SH_JOIN_BUCKETLINES_H

#include "io/pool.h"

/* The state of a program for the bucket whose lines are read. One thread at a time has it. */
struct sh_bucket_state {
	void *own;         /* the program's state; set by the program before the run */
	struct sh_job out; /* receives the results; the calls do not write to job->out */

	/* Private. */
	struct sh_bucket_lines *buckets;
	struct sh_pool pool; /* of `out` */
	struct sh_job *job;  /* of the chunk that is read */
	bool failed;         /* add_lines() failed with `err`, which the next line reports */
	struct sh_error err;
};

/* What a program does with buckets. Functions that return int return 0, or -1 with *err. */
struct sh_bucket_calls {
	/* Adds a line, without its LF. SH_ERR_RECORD: the line is a bad record. */
	int (*add)(void *own, struct sh_slice line, struct sh_job *job, struct sh_error *err);
	/* Adds the good records from p on, perhaps none, and sets *lines to their number. `end` is
	 * the end of the chunk. Returns the beginning of the first line that it leaves to add(), or
	 * `end`, or NULL with *err. */
	const char *(*add_lines)(void *own, const char *p, const char *end, struct sh_job *job,
	    uint64_t *lines, struct sh_error *err);
	/* Ends the bucket whose lines are read, if there is one. Called where a chunk ends with a
	 * whole bucket, and at the end of the run. */
	int (*end)(void *own, struct sh_error *err);
	/* Returns whether two adjacent lines with different first fields are good records of two
	 * buckets. The thread that reads calls it. */
	bool (*is_border)(void *arg, struct sh_slice line, struct sh_slice next);
	/* Checks the key of the next bucket, in the order of the lines. The thread that writes
	 * calls it. */
	int (*order)(void *arg, struct sh_slice key, struct sh_error *err);
	void *arg; /* of is_border() and order() */
};

struct sh_bucket_worker {
	struct sh_bucket_lines *buckets;
	struct sh_bucket_state *state;
};

struct sh_bucket_lines {
	bool rejects; /* bad records go to job->aside; set before the run */

	struct sh_bucket_worker *worker; /* n_workers */
	struct sh_bucket_state *state;
	unsigned n_workers;

	/* Private. */
	const struct sh_bucket_calls *calls;
	/* the state that no worker has: of the unfinished bucket, if there is one */
	struct sh_bucket_state *waiting;
};

/* Returns the number of states that n workers need: one more, for the unfinished bucket. */
static inline unsigned sh_bucket_lines_states(unsigned n_workers)
{
	return n_workers > 1 ? n_workers + 1 : 1;
}

/* Borrows calls. n_workers: at least 1. Free *all also after a failure. */
int sh_bucket_lines_init(struct sh_bucket_lines *all, const struct sh_bucket_calls *calls,
    unsigned n_workers, struct sh_error *err);
void sh_bucket_lines_free(struct sh_bucket_lines *all);

/* Makes the chunks of the source end with whole buckets where they can. Call it before the run.
 * Lines may have been peeked at: the chunk of these lines may end within a bucket. most: a chunk
 * also ends within a bucket that has at least this number of bytes in the chunk. */
void sh_bucket_lines_source(struct sh_bucket_lines *all, struct sh_source *source, size_t most);

/* Call it when a bucket begins. state: a struct sh_bucket_state. The key must be bytes of job->in:
 * order() gets it later. When order() refuses it, the results that state->out has now are still
 * written, and no later ones. */
int sh_bucket_begins(void *state, struct sh_slice key, struct sh_error *err);

/* These are work() of the pools above. worker: an element of all->worker. */
int sh_bucket_lines_work(void *worker, struct sh_job *job);
int sh_bucket_lines_end(void *worker, struct sh_job *job);

/* Checks the order of the keys of a job. done() calls it first, also for a part of a job (see
 * sh_job_flush()). After a failure job->out still has the results of the buckets before the wrong
 * key, and done() writes them. */
int sh_bucket_lines_done(
    const struct sh_bucket_lines *all, struct sh_job *job, struct sh_error *err);

#endif
