/* SPDX-License-Identifier: MIT */
/* Reads documents from the chunks of a pool: the first step of each program that reads text.
 *
 * Splits a chunk into records, refuses files that are not UTF-8, calls a function for each
 * document, and treats bad records as the options say. */
#ifndef SH_STREAM_DOCS_H
#define SH_STREAM_DOCS_H

#include "io/header.h"
#include "io/pool.h"
#include "record/document.h"

struct sh_docs_opts {
	struct sh_document_form form;
	bool strict;  /* a record with ill-formed UTF-8 is bad */
	bool rejects; /* bad records go to job->aside; otherwise the first one is an error */
};

/* Appends the output for one document to job->out, and adds the number of ill-formed UTF-8
 * sequences to job->ill_formed. SH_ERR_RECORD makes the record bad: both are undone. */
typedef int sh_docs_each(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err);

/* Examines the beginning of a file. Removes a UTF-8 byte order mark from *in. Returns 0, or -1 with
 * SH_ERR_RECORD when the text is recognised as UTF-16, UTF-32, GB18030 or Big5, or the file holds
 * no lines of text, as Parquet and PDF. */
int sh_docs_head(struct sh_slice *in, struct sh_error *err);

/* Finds the columns of the form in the header. Returns 0, also when no header was read yet; or -1
 * with SH_ERR_RECORD, file and line. */
int sh_docs_header(
    const struct sh_document_form *form, const struct sh_header *header, struct sh_error *err);

/* Calls sh_docs_head() for a chunk with the first record of a file, and sh_job_lines(). For
 * programs whose output keeps the line. Returns 0, or -1 with job->err. */
int sh_docs_lines(struct sh_job *job, bool rejects, sh_line_fn *each, void *arg);

/* Processes one chunk (sh_pool.work). Returns 0, or -1 with job->err. */
int sh_docs_work(
    const struct sh_docs_opts *opts, sh_docs_each *each, void *arg, struct sh_job *job);

#endif
