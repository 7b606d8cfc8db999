/* SPDX-License-Identifier: MIT */
/* Reads the lines of the files of a corpus by the threads of a pool, without a copy. A file has
 * ranges of equal size. A task has the lines that begin in one range.
 *
 *     sh_corpus_lines_init(&l, corpus, 0, err);
 *     sh_pool_tasks(&pool, l.tasks, err);       work() calls sh_corpus_lines_read()
 *                                               done() calls sh_corpus_lines_done()
 *     sh_corpus_lines_free(&l);
 *
 * No task waits for another one: a task counts its lines from 1, and sh_corpus_lines_done() knows
 * the lines of the tasks before it. */
#ifndef SH_STREAM_CORPUS_LINES_H
#define SH_STREAM_CORPUS_LINES_H

#include "stream/corpus.h"

/* A file to be read. */
struct sh_corpus_range_file {
	const struct sh_corpus_file *file;
	size_t begin;  /* offset of the first line behind the header and a byte order mark */
	uint64_t line; /* its number, from 1 */
	size_t task;   /* the task of the first range */
	size_t ranges;
	bool *quoted; /* CSV, by range: an odd number of quotes precedes the range */
};

struct sh_corpus_lines {
	size_t tasks; /* number of tasks */

	/* Private. */
	const struct sh_corpus *corpus;
	struct sh_corpus_range_file *file;
	size_t n_files;
	/* Of the tasks that are done: */
	uint64_t line;                 /* number of the next line in its file, from 1 */
	uint64_t number;               /* the same in all files, without headers and trailers */
	struct sh_trailer_check check; /* of the file of the next task, with corpus->trailer */
};

/* Prepares the lines of the corpus from file number `from` on. Reads the headers of these files:
 * see sh_corpus.header. number: of the first line. Returns 0; or -1, and then l needs no
 * sh_corpus_lines_free(). */
int sh_corpus_lines_init(struct sh_corpus_lines *l, struct sh_corpus *c, size_t from,
    uint64_t number, struct sh_error *err);
void sh_corpus_lines_free(struct sh_corpus_lines *l);

/* Sets job->from, and job->in to the lines of task job->task, perhaps none. job->from.line and
 * job->from.number are 1. With corpus->trailer the lines can have trailers (see sh_origin.trailer),
 * and job->check is set. Returns 0, or -1 with job->err. Threads may call it at the same time. */
int sh_corpus_lines_read(const struct sh_corpus_lines *l, struct sh_job *job);

/* Call it for each job, in order, after sh_job_lines() has processed all its lines, or after a
 * failure. Sets job->from.line and job->from.number to the numbers of the first line. Changes
 * job->err.line of a failed job to the number in the file; notes keep the lines of the task. Checks
 * the trailers of a file in its last task, unless this task failed. Returns 0, or -1 with *err. */
int sh_corpus_lines_done(struct sh_corpus_lines *l, struct sh_job *job, struct sh_error *err);

#endif
