/* SPDX-License-Identifier: MIT */
/* shdoc's reading of files: shdoc.c has the options, the walk through folders and the report at the
 * end; doc_read.c makes documents of each file. */
#ifndef DOC_H
#define DOC_H

#include "cli.h"
#include "ingest/ingest.h"
#include "io/pool.h"

struct doc_run;

/* A thread that parses documents, and what became of its current job. */
struct doc_worker {
	struct doc_run *run;
	struct sh_ingest *in;
	struct sh_job *job; /* the thread that reads files has one of its own, see doc_file() */
	bool refused;       /* a bad record, and there is no --rejects */
};

struct doc_run {
	struct cli *cli;
	struct sh_ingest in; /* of the reading thread; the other threads copy its settings */
	bool verbose, json;
	uint64_t repeated; /* documents whose id occurred before; set by doc_end() */
	uint64_t named;    /* files that were left out and named */
	uint64_t failed;   /* files, folders and members that cannot be read */

	/* Hashes of ids. When all_ids is false, they are hashes of earlier ids, in ascending order,
	 * and new ids are only looked up. */
	uint64_t *ids;
	size_t n_ids, ids_cap;
	bool all_ids;

	/* Private to doc_read.c. */
	uint64_t id_key[2]; /* of the hash */
	struct sh_job own_job;
	struct doc_worker own;
	/* With several threads: */
	struct sh_pool pool;
	struct sh_feed *feed; /* NULL: one thread */
	struct sh_ingest *ingests;
	struct doc_worker *worker;
	void *workers[CLI_MAX_JOBS];
	struct sh_buf packed;
	uint64_t unread; /* bytes that were read, and that no job reports yet to the progress */
};

/* Begins with run->cli, in.format, in.json, in.max_size, in.utf8_ids, in.body.charset.forced,
 * verbose and json set, after cli_open(). Dies of errors.
 *
 * With several threads, the thread that reads files decompresses them and cuts them into jobs: a
 * job is a small file, or whole records of a WARC file. A small compressed file is a job as it
 * stands, and the thread that parses it decompresses it. Other inputs are parsed by the thread that
 * reads them, after all jobs. The output and the messages are the same as with one thread. */
void doc_begin(struct doc_run *run);

/* Makes documents of a file. fd: the open file, which is closed, also after a failure; or -1 to
 * open the path. id: of a file that is one document. Returns 0; or -1 with *err, whose file is the
 * path, borrowed, and the next file can be read. */
int doc_file(
    struct doc_run *run, const char *path, int fd, struct sh_slice id, struct sh_error *err);

/* Reports a file, folder or member that cannot be read. Returns 0. Dies when memory is short. */
int doc_trouble(void *run, struct sh_error *err);

/* Writes the results of all jobs. Dies of errors. The caller then frees run->in, and this
 * function frees the other members. */
void doc_end(struct doc_run *run);

#endif
