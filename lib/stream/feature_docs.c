/* SPDX-License-Identifier: MIT */
#include "stream/feature_docs.h"

#include <stdlib.h>

#include "io/newlines.h"

/* A document that a job began: an element of job->facts. */
struct beginning {
	struct sh_slice id;
	const char *file;
	uint64_t line;
};

/* ---- records ---- */

static int read_record(const struct sh_feature_docs *d, struct sh_slice line, struct sh_feature *f,
    struct sh_error *err)
{
	if (sh_record_feature(d->crlf ? sh_without_cr(line) : line, f, err) < 0)
		return -1;
	return d->calls->check ? d->calls->check(f, err) : 0;
}

/* Returns whether the line begins with the id and a TAB. */
static bool has_id(struct sh_slice line, struct sh_slice id)
{
	return line.n > id.n && line.p[id.n] == '\t' && memcmp(line.p, id.p, id.n) == 0;
}

/* Returns the offset of the first valid record from `at` on. There must be one. */
static size_t next_record(const struct sh_feature_docs *d, const char *p, size_t n, size_t at)
{
	struct sh_feature f;
	struct sh_error err;

	for (;;) {
		const char *lf = memchr(p + at, '\n', n - at);
		size_t end = lf ? (size_t)(lf - p) : n;

		if (read_record(d, sh_slice(p + at, end - at), &f, &err) == 0)
			return at;
		at = end + 1;
	}
}

/* See sh_border_fn. Goes backward to the last record whose id differs from the id of the last
 * record. Bad records between two documents stay in the chunk of the first document: when the run
 * stops at a bad record, the document before it must not be ended. Lines without a valid record are
 * all handed over. */
static size_t find_border(void *arg, const char *p, size_t n, size_t one)
{
	const struct sh_feature_docs *d = arg;
	struct sh_slice last = { 0 }, line;
	struct sh_feature f;
	struct sh_error err;

	for (size_t end = n; end; end = (size_t)(line.p - p)) {
		bool same;

		line = sh_line_before(p, end);
		same = last.p && has_id(line, last);
		if (end <= one && (same || !last.p))
			return 0;
		if (!same && read_record(d, line, &f, &err) == 0) {
			if (last.p)
				return next_record(d, p, n, end);
			last = f.id;
		}
	}
	return last.p ? 0 : n;
}

/* ---- documents ---- */

/* Ends the document. Reports an error at the last record of the document, not at the record that is
 * being read. */
static int end_document(struct sh_feature_doc *d, struct sh_job *job)
{
	size_t out = job->out.n;
	struct sh_error *err = &job->err;

	if (!d->begun)
		return 0;
	if (d->docs->calls->end(d, job, err) < 0) {
		job->out.n = out < job->out.n ? out : job->out.n;
		if (err->code == SH_ERR_RECORD)
			err->code = SH_ERR_PARAM;
		if (err->code != SH_ERR_IO && err->code != SH_ERR_NOMEM) {
			err->file = d->file;
			err->line = d->line;
		}
		return -1;
	}
	d->begun = false;
	return 0;
}

/* When the record has another id than the document, ends the document and begins the next one. */
static int change_document(struct sh_feature_doc *d, struct sh_slice id, struct sh_job *job)
{
	struct beginning b = { id, job->from.file, sh_job_line(job) };

	if (d->begun && sh_slice_eq(id, sh_feature_doc_id(d)))
		return 0;
	if (end_document(d, job) < 0 || sh_buf_add(&job->facts, &b, sizeof b, &job->err) < 0)
		return -1;
	sh_id_prefix_set(&d->prefix, id);
	d->docs->calls->begin(d);
	d->begun = true;
	return 0;
}

void sh_feature_docs_done(struct sh_feature_docs *d, const struct sh_job *job)
{
	const struct beginning *b = (const struct beginning *)(const void *)job->facts.p;

	for (size_t i = 0; i < job->facts.n / sizeof *b; i++)
		sh_past_ids_begin(&d->past, b[i].id, b[i].file, b[i].line);
}

/* ---- chunks ---- */

static int each_record(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct sh_feature_doc *d = arg;
	struct sh_feature f;

	if (read_record(d->docs, line, &f, err) < 0 || change_document(d, f.id, job) < 0)
		return -1;
	d->file = job->from.file;
	d->line = sh_job_line(job);
	return d->docs->calls->add(d, f.text, f.weight, err);
}

/* Adds successive lines of the document in one call: see sh_job_runs(). */
static const char *more_records(
    void *arg, const char *p, const char *end, struct sh_job *job, uint64_t *lines)
{
	struct sh_feature_doc *d = arg;
	const struct sh_feature_lines *l = &d->lines;
	const char *next;
	struct sh_error err; /* each_record() finds it, too */

	*lines = 0;
	if (!d->begun || sh_feature_lines_chunk(&d->lines, job->from.at, p, end, &err) < 0)
		return p;
	next = sh_feature_lines_read(&d->lines, &d->prefix, p);
	*lines = l->lines ? d->docs->calls->add_lines(d) : 0;
	if (*lines) {
		d->file = job->from.file;
		d->line = sh_job_line(job) + *lines - 1;
	}
	return *lines == l->lines ? next : l->base + l->start[l->token[*lines]] - d->prefix.n;
}

int sh_feature_docs_work(void *worker, struct sh_job *job)
{
	struct sh_feature_doc *d = worker;
	const struct sh_origin from = job->from;
	const struct sh_slice in = job->in;
	const char *p = in.p;
	int status = 0;

	d->begun = false;
	for (size_t i = 0; status == 0 && i < from.stretches; i++) {
		const struct sh_stretch *s = &from.stretch[i];

		job->in = sh_slice(p, s->bytes);
		job->from.file = s->file;
		job->from.line = s->line;
		job->from.at = s->at;
		status = sh_job_runs(job, d->docs->rejects, each_record, more_records, d);
		p += s->bytes;
	}
	if (status == 0 && !from.cut)
		status = end_document(d, job);
	job->in = in;
	job->from = from;
	return status;
}

/* ---- the run ---- */

int sh_feature_docs_init(struct sh_feature_docs *d, struct sh_source *source,
    const struct sh_feature_calls *calls, void *arg, unsigned n, struct sh_error *err)
{
	*d = (struct sh_feature_docs){ .calls = calls, .doc = calloc(n, sizeof *d->doc) };
	source->border = find_border;
	source->border_arg = d;
	if (!d->doc)
		return sh_error_nomem(err);
	for (; d->n < n; d->n++) {
		struct sh_feature_doc *doc = &d->doc[d->n];

		doc->docs = d;
		doc->own = calloc(1, calls->size);
		if (!doc->own)
			return sh_error_nomem(err);
		if (calls->init(doc->own, arg, err) < 0 ||
		    sh_feature_lines_init(&doc->lines, calls->split, err) < 0) {
			d->n++;
			return -1;
		}
	}
	return 0;
}

void sh_feature_docs_free(struct sh_feature_docs *d)
{
	for (unsigned i = 0; i < d->n; i++) {
		if (d->calls->free)
			d->calls->free(d->doc[i].own);
		free(d->doc[i].own);
		sh_feature_lines_free(&d->doc[i].lines);
	}
	free(d->doc);
}
