/* SPDX-License-Identifier: MIT */
/* Runs a pool over the operands. Results go to the output, rejected records to the file of
 * --rejects, notes to standard error. */
#ifndef RUN_H
#define RUN_H

#include "cli.h"
#include "io/pool.h"

struct run {
	struct cli *cli;
	int (*work)(void *worker, struct sh_job *job); /* see struct sh_pool */
	void *workers[CLI_MAX_JOBS];                   /* cli->jobs states */
	/* When set, receives each job with its output and facts, in input order. Returns 1 when the
	 * output goes to the program's output as without `collect`, 0, or -1. */
	int (*collect)(void *arg, struct sh_job *job, struct sh_error *err);
	void *arg;

	/* Filled by the run. */
	uint64_t records, ill_formed, empty, notes;
	bool wrote;     /* there was output */
	const char *gb; /* the first file with a block that is not UTF-8 and may be GB18030 */
};

/* Processes the source to its end and writes the results. Dies of errors. */
void run_pool(struct run *run, struct sh_source *source);

/* The same for the tasks 0 .. n-1 in place of a source. */
void run_tasks(struct run *run, size_t n);

/* Reports ill-formed text and notes. */
void run_finish(struct run *run);

#endif
