/* A run of a pool over the operands: its results to the output, its rejected records
 * aside, its notes to the user. */
#ifndef RUN_H
#define RUN_H

#include "cli.h"
#include "io/pool.h"

struct run {
	struct cli *cli;
	int (*work)(void *worker, struct sh_job *job); /* see struct sh_pool */
	void *workers[CLI_MAX_JOBS];                   /* cli->jobs states */
	/* When set: takes each job's output, in order, instead of the program's output. */
	int (*take)(void *arg, struct sh_job *job, struct sh_error *err);
	void *arg;

	/* Filled by the run. */
	uint64_t records, ill_formed, empty, notes;
	const char *gb; /* the first file with a block that is no UTF-8 and may be GB18030 */
};

/* Read what the source has, work, write. Dies of errors. */
void run_pool(struct run *run, struct sh_source *source);

/* Take in the results of one job more, or none (NULL), and report. */
void run_finish(struct run *run, struct sh_job *last);

#endif
