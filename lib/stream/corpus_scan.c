/* SPDX-License-Identifier: MIT */
/* Reads the documents of files by several threads. */
#include <stdlib.h>

#include "base/siphash.h"
#include "stream/corpus_lines.h"

struct scan {
	struct sh_corpus *corpus;
	struct sh_corpus_lines lines;
	sh_corpus_bad *bad;
	void *arg; /* of bad() */
};

struct scan_worker {
	struct scan *scan;
	struct sh_document_room room;
};

/* A line that is not a document, in job->facts. */
struct bad_line {
	size_t at;     /* its offset in job->in */
	uint64_t line; /* lines of the task before it */
	struct sh_error err;
};

/* Appends the offset of a document to job->out, and to job->aside the hash of its id, or with
 * line_ids its number from the task's first line on. */
static int read_line(void *reader, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct scan_worker *r = reader;
	const struct sh_corpus *c = r->scan->corpus;
	uint64_t offset = job->from.at + job->offset, value = job->from.number + job->at;
	struct sh_document doc;

	if (sh_document_parse(&c->form, line, value, &r->room, &doc, err) < 0) {
		struct bad_line bad = { job->offset, job->at, *err };

		return err->code == SH_ERR_RECORD ? sh_buf_add(&job->facts, &bad, sizeof bad, err)
						  : -1;
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
	struct scan_worker *r = reader;

	if (sh_corpus_lines_read(&r->scan->lines, job) < 0)
		return -1;
	return sh_docs_lines(job, false, read_line, r);
}

static int report_bad_lines(const struct scan *s, const struct sh_job *job, struct sh_error *err)
{
	const struct bad_line *bad = (const struct bad_line *)(const void *)job->facts.p;

	for (size_t i = 0; i < job->facts.n / sizeof *bad; i++) {
		struct sh_slice rest = sh_slice(job->in.p + bad[i].at, job->in.n - bad[i].at);

		*err = bad[i].err;
		err->file = job->from.file;
		err->line = job->from.line + bad[i].line;
		if (s->bad(s->arg, sh_record_front(rest, job->from.csv), err) < 0)
			return -1;
	}
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

	if (sh_corpus_lines_done(&s->lines, job, err) < 0 || report_bad_lines(s, job, err) < 0)
		return -1;
	s->corpus->blank += job->blank;
	for (size_t i = 0; numbers && i < n; i++)
		value[i] += job->from.number - 1;
	return sh_corpus_add(s->corpus, &new, n, err);
}

int sh_corpus_scan(
    struct sh_corpus *c, uint64_t *lines, sh_corpus_bad *bad, void *arg, struct sh_error *err)
{
	struct scan s = { .corpus = c, .bad = bad, .arg = arg };
	unsigned jobs = c->jobs ? c->jobs : 1;
	struct scan_worker *readers = calloc(jobs, sizeof *readers);
	void **workers = calloc(jobs, sizeof *workers);
	struct sh_pool pool = { work, workers, jobs, add_documents, &s };
	int status = readers && workers ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < jobs; i++) {
		readers[i].scan = &s;
		workers[i] = &readers[i];
	}
	if (status == 0)
		status = sh_corpus_lines_init(&s.lines, c, c->n_scanned, *lines + 1, err);
	if (status == 0) {
		status = sh_pool_tasks(&pool, s.lines.tasks, err);
		*lines = s.lines.number - 1;
		sh_corpus_lines_free(&s.lines);
	}
	for (unsigned i = 0; readers && i < jobs; i++)
		sh_document_room_free(&readers[i].room);
	c->n_scanned = c->n_files;
	free(readers);
	free(workers);
	return status;
}
