/* Documents out of blocks of lines: what every program that reads text does first.
 *
 * It finds the records in a job, refuses foreign encodings at the head of a file,
 * hands each document to the program, and deals with bad ones as asked. */
#ifndef SH_STREAM_DOCS_H
#define SH_STREAM_DOCS_H

#include "io/pool.h"
#include "record/document.h"

struct sh_docs_opts {
	struct sh_document_form form;
	bool strict;  /* ill-formed UTF-8 is an error */
	bool rejects; /* bad records go to job->aside, not to an error */
};

/* The program's part: append what becomes of the document to job->out, and add the
 * ill-formed UTF-8 sequences met to job->ill_formed. SH_ERR_RECORD makes the record
 * a bad one: what it had appended is taken back. */
typedef int sh_docs_each(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err);

/* The head of a file: drop a UTF-8 byte order mark, refuse what is no UTF-8. */
int sh_docs_head(struct sh_slice *in, struct sh_error *err);

/* The work of a pool over documents (see sh_pool.work): 0, or -1 with job->err. */
int sh_docs_work(
    const struct sh_docs_opts *opts, sh_docs_each *each, void *arg, struct sh_job *job);

#endif
