/* SPDX-License-Identifier: MIT */
/* Reads the documents of files by several threads. */
#include <stdlib.h>

#include "base/siphash.h"
#include "stream/corpus_lines.h"

/* A line that is not a document. The calling thread parses it again after all tasks. */
struct bad_line {
	uint64_t at; /* offset, counted over all files */
	/* its number in the file, from 1; in job->facts counted from the task's first line */
	uint64_t line;
};

struct scan {
	struct sh_corpus *corpus;
	struct sh_corpus_lines lines;
	struct bad_line *bad_line;
	size_t n_bad, bad_cap;
	sh_corpus_bad *bad;
	void *arg; /* of bad() */
};

/* ---- documents, by several threads ---- */

struct reader {
	struct scan *scan;
	struct sh_document_room room;
};

/* Appends the offset of a document to job->out, and to job->aside the hash of its id, or with
 * line_ids its number from the task's first line on. Appends a bad line to job->facts. */
static int read_line(void *reader, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct reader *r = reader;
	const struct sh_corpus *c = r->scan->corpus;
	uint64_t offset = job->from.at + job->offset, value = job->from.number + job->at;
	struct sh_document doc;

	if (sh_document_parse(&c->form, line, value, &r->room, &doc, err) < 0) {
		struct bad_line x = { offset, sh_job_line(job) };

		return err->code == SH_ERR_RECORD ? sh_buf_add(&job->facts, &x, sizeof x, err) : -1;
	}
	if (sh_token_check(c->unit, doc.text, c->memory, err) < 0)
		return -1;
	if (!c->form.line_ids)
		value = sh_siphash(c->key, doc.id.p, doc.id.n);
	if (sh_buf_add(&job->out, &offset, sizeof offset, err) < 0)
		return -1;
	return sh_buf_add(&job->aside, &value, sizeof value, err);
}

static int work(void *reader, struct sh_job *job)
{
	struct reader *r = reader;

	if (sh_corpus_lines_read(&r->scan->lines, job, &r->room) < 0)
		return -1;
	return sh_docs_lines(job, false, read_line, r);
}

/* ---- documents, in order ---- */

static int add_bad_lines(struct scan *s, const struct sh_job *job, struct sh_error *err)
{
	const struct bad_line *bad = (const struct bad_line *)(const void *)job->facts.p;
	size_t n = job->facts.n / sizeof *bad;

	if (SH_RESERVE(s->bad_line, s->bad_cap, s->n_bad + n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		s->bad_line[s->n_bad++] =
		    (struct bad_line){ bad[i].at, bad[i].line + job->from.line - 1 };
	return 0;
}

static int add_documents(void *scan, struct sh_job *job, struct sh_error *err)
{
	struct scan *s = scan;
	bool numbers = s->corpus->form.line_ids;
	uint64_t *value = (uint64_t *)(void *)job->aside.p;
	size_t n = job->aside.n / sizeof *value;
	const struct sh_corpus_columns new = {
		.offset = (const uint64_t *)(const void *)job->out.p,
		.number = numbers ? value : NULL,
		.hash = numbers ? NULL : value,
	};

	if (sh_corpus_lines_done(&s->lines, job, err) < 0 || add_bad_lines(s, job, err) < 0)
		return -1;
	s->corpus->blank += job->blank;
	for (size_t i = 0; numbers && i < n; i++)
		value[i] += job->from.number - 1;
	return sh_corpus_add(s->corpus, &new, n, err);
}

/* ---- the files ---- */

/* Calls bad() for the bad lines. */
static int report_bad_lines(
    const struct scan *s, struct sh_document_room *room, struct sh_error *err)
{
	const struct sh_corpus *c = s->corpus;
	const struct sh_corpus_file *f = c->file;

	for (size_t i = 0; i < s->n_bad; i++) {
		struct sh_document doc;
		struct sh_slice line;

		while (s->bad_line[i].at >= f->base + f->n)
			f++;
		if (sh_corpus_bytes(c, f, s->bad_line[i].at - f->base, room, &line, err) < 0)
			return -1;
		line = sh_record_front(line, c->form.csv);
		if (sh_document_parse(&c->form, line, 0, room, &doc, err) == 0)
			continue;
		err->file = f->name;
		err->line = s->bad_line[i].line;
		if (err->code != SH_ERR_RECORD || s->bad(s->arg, line, err) < 0)
			return -1;
	}
	return 0;
}

static int read_documents(struct scan *s, unsigned jobs, struct sh_error *err)
{
	struct reader *readers = calloc(jobs, sizeof *readers);
	void **workers = calloc(jobs, sizeof *workers);
	struct sh_pool pool = { work, workers, jobs, add_documents, s };
	int status = readers && workers ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < jobs; i++) {
		readers[i].scan = s;
		workers[i] = &readers[i];
	}
	if (status == 0)
		status = sh_pool_tasks(&pool, s->lines.tasks, err);
	for (unsigned i = 0; readers && i < jobs; i++)
		sh_document_room_free(&readers[i].room);
	free(readers);
	free(workers);
	return status;
}

int sh_corpus_scan(
    struct sh_corpus *c, uint64_t *lines, sh_corpus_bad *bad, void *arg, struct sh_error *err)
{
	struct scan s = { .corpus = c, .bad = bad, .arg = arg };
	struct sh_document_room room = { 0 };
	struct sh_error failure;
	int status;

	if (sh_corpus_lines_init(&s.lines, c, c->n_scanned, *lines + 1, err) < 0)
		return -1;
	status = read_documents(&s, c->jobs ? c->jobs : 1, &failure);
	*lines = s.lines.number - 1;
	sh_corpus_lines_free(&s.lines);
	/* A bad line before the failure is reported in place of the failure. */
	if (report_bad_lines(&s, &room, err) < 0)
		status = -1;
	else if (status < 0)
		*err = failure;
	c->n_scanned = c->n_files;
	sh_document_room_free(&room);
	free(s.bad_line);
	return status;
}
