/* SPDX-License-Identifier: MIT */
/* The parts of shdoc. */
#ifndef DOC_H
#define DOC_H

#include "cli.h"
#include "ingest/ids.h"
#include "ingest/ingest.h"
#include "io/pool.h"

struct doc_worker;

struct doc_run {
	struct cli *cli;
	struct sh_ingest in; /* of the thread that reads files */
	struct sh_ids ids;
	struct sh_buf record;
	const char *fields;  /* of -f */
	const char *operand; /* the folder that is read, or NULL; ids are paths below it */
	uint64_t folders;    /* operands that are folders */
	uint64_t repeated;   /* documents whose id occurred before */
	uint64_t links, special, temporary; /* see struct sh_walk */
	uint64_t named;                     /* files that were left out and named */
	uint64_t failed;                    /* files, folders and members that cannot be read */
	bool follow, verbose, json;

	/* doc_jobs.c: with several threads. */
	struct sh_pool pool;
	struct sh_feed *feed; /* NULL: one thread */
	struct doc_worker *worker;
	void *workers[CLI_MAX_JOBS];
	uint64_t unread; /* bytes that were read, and that no job reports yet to the progress */
};

/* shdoc.c: counts the id of a document that was written. Dies of errors. */
void doc_count_id(struct doc_run *run, struct sh_slice id);
/* Prints "NAME: left out: WHAT" under --verbose, and for the first files. */
void doc_left_out(struct doc_run *run, struct sh_slice text, bool file);
enum { DOC_MESSAGE = 1 << 9 }; /* bytes of a message */
/* Appends the line of a document, with its LF. */
int doc_add_line(const struct doc_run *run, struct sh_buf *out, const struct sh_document *doc,
    struct sh_error *err);
/* Returns the id in such a line, as it is written there. */
struct sh_slice doc_line_id(const struct doc_run *run, struct sh_slice line);

/* doc_jobs.c: threads parse the documents. The thread that reads files decompresses them and cuts
 * them into jobs: a job is a small file, or whole records of a WARC file. A small compressed file
 * is a job as it stands, and the thread that parses it decompresses it. Other inputs are parsed by
 * the thread that reads them, after all jobs. The output and the messages are the same as with one
 * thread. */
void doc_jobs_begin(struct doc_run *run);
/* As sh_ingest_file(). */
int doc_jobs_file(
    struct doc_run *run, const char *path, int fd, struct sh_slice id, struct sh_error *err);
/* Writes the results of all jobs. Dies of errors. */
void doc_jobs_end(struct doc_run *run);

#endif
