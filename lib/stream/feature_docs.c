#include "stream/feature_docs.h"

#include <stdlib.h>

#include "io/newlines.h"

/* A document that a job began: an element of job->facts. */
struct beginning {
	uint64_t hash; /* of its id */
	uint64_t line;
	size_t id; /* offset of its id in job->in */
	size_t id_n;
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
 * stops at a bad record, the document before it must not be ended. */
static size_t find_border(void *arg, const char *p, size_t n, size_t one)
{
	const struct sh_feature_docs *d = arg;
	struct sh_slice last = { 0 }, line;
	struct sh_feature f;
	struct sh_error err;

	for (size_t end = n; end; end = (size_t)(line.p - p)) {
		line = sh_line_before(p, end);
		if (last.p && has_id(line, last)) {
			if (end <= one)
				return 0;
		} else if (read_record(d, line, &f, &err) == 0) {
			if (last.p)
				return next_record(d, p, n, end);
			last = f.id;
		}
	}
	return 0;
}

void sh_feature_docs_source(struct sh_feature_docs *d, struct sh_source *source)
{
	source->border = find_border;
	source->border_arg = d;
	source->unfinished = source->peeked_from.unfinished = source->peeked.n > 0;
}

/* ---- documents ---- */

/* Ends the document. Reports an error at the last record of the document, not at the record that is
 * being read. */
static int end_document(
    const struct sh_feature_docs *docs, struct sh_feature_doc *d, struct sh_job *job)
{
	size_t out = job->out.n;
	struct sh_error *err = &job->err;

	if (!d->begun)
		return 0;
	if (docs->calls->end(d, job, err) < 0) {
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

static int begin_document(const struct sh_feature_docs *docs, struct sh_feature_doc *d,
    struct sh_slice id, uint64_t line, struct sh_job *job)
{
	struct beginning *b;

	if (sh_buf_reserve(&job->facts, sizeof *b, &job->err) < 0)
		return -1;
	b = (struct beginning *)(void *)(job->facts.p + job->facts.n);
	*b = (struct beginning){ sh_past_ids_hash(id), line, (size_t)(id.p - job->in.p), id.n };
	job->facts.n += sizeof *b;
	sh_id_prefix_set(&d->prefix, id);
	docs->calls->begin(d);
	d->begun = true;
	return 0;
}

/* When the record at this line has another id, ends the document and begins the next one. */
static int change_document(
    struct sh_feature_worker *w, struct sh_slice id, uint64_t line, struct sh_job *job)
{
	if (w->doc->begun && sh_slice_eq(id, sh_feature_doc_id(w->doc)))
		return 0;
	if (end_document(w->docs, w->doc, job) < 0)
		return -1;
	return begin_document(w->docs, w->doc, id, line, job);
}

void sh_feature_docs_done(struct sh_feature_docs *d, const struct sh_job *job)
{
	const struct beginning *b = (const struct beginning *)(const void *)job->facts.p;

	for (size_t i = 0; i < job->facts.n / sizeof *b; i++)
		sh_past_ids_begin(&d->past, b[i].hash, sh_slice(job->in.p + b[i].id, b[i].id_n),
		    job->from.file, b[i].line);
}

/* ---- chunks ---- */

static int each_record(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct sh_feature_worker *w = arg;
	struct sh_feature f;

	if (read_record(w->docs, line, &f, err) < 0 ||
	    change_document(w, f.id, sh_job_line(job), job) < 0)
		return -1;
	w->doc->file = job->from.file;
	w->doc->line = sh_job_line(job);
	return w->docs->calls->add(w->doc, f.text, f.weight, err);
}

/* Adds successive lines of the document. Returns the beginning of the first line that was not
 * added. */
static const char *add_lines(struct sh_feature_worker *w, const char *p, uint64_t *lines)
{
	struct sh_feature_doc *d = w->doc;
	const struct sh_feature_lines *l = &d->lines;
	const char *next = sh_feature_lines_read(&d->lines, &d->prefix, p);
	size_t n = l->lines ? w->docs->calls->add_lines(d) : 0;

	*lines += n;
	return n == l->lines ? next : l->base + l->start[l->token[n]] - d->prefix.n;
}

/* When the record at p has another id, begins its document and returns true. Reports no error in
 * the line: each_record() reads the line again. */
static bool begin_next(
    struct sh_feature_worker *w, const char *p, const char *end, uint64_t line, struct sh_job *job)
{
	const char *lf = memchr(p, '\n', (size_t)(end - p));
	struct sh_feature f;
	struct sh_error err;

	if (!lf || read_record(w->docs, sh_slice(p, (size_t)(lf - p)), &f, &err) < 0 ||
	    (w->doc->begun && sh_slice_eq(f.id, sh_feature_doc_id(w->doc))))
		return false;
	return change_document(w, f.id, line, job) == 0;
}

/* Reads many lines in one call, of this document and later documents: see sh_job_runs(). */
static const char *more_records(
    void *arg, const char *p, const char *end, struct sh_job *job, uint64_t *lines)
{
	struct sh_feature_worker *w = arg;
	struct sh_error err;
	bool more = true;

	*lines = 0;
	if (sh_feature_lines_chunk(&w->doc->lines, job->from.at, p, end, &err) < 0)
		return p;
	while (more && p < end) {
		const char *from = p;

		if (w->doc->begun)
			p = add_lines(w, p, lines);
		if (p != from) {
			w->doc->file = job->from.file;
			w->doc->line = sh_job_line(job) + *lines - 1;
		}
		more = p != from || begin_next(w, p, end, sh_job_line(job) + *lines, job);
	}
	return p;
}

/* Exchanges the worker's document and the waiting document, in the order of the chunks. */
static int exchange(struct sh_feature_worker *w, struct sh_job *job)
{
	struct sh_feature_doc *doc = w->doc;

	if (w->docs->n_workers == 1)
		return 0;
	if (sh_job_turn(job, &job->err) < 0)
		return -1;
	w->doc = w->docs->waiting;
	w->docs->waiting = doc;
	return 0;
}

int sh_feature_docs_work(void *worker, struct sh_job *job)
{
	struct sh_feature_worker *w = worker;

	if (job->from.continued && exchange(w, job) < 0)
		return -1;
	if (sh_job_runs(job, w->docs->rejects, each_record, more_records, w) < 0)
		return -1;
	return job->from.unfinished ? exchange(w, job) : end_document(w->docs, w->doc, job);
}

int sh_feature_docs_end(void *worker, struct sh_job *job)
{
	struct sh_feature_worker *w = worker;

	return end_document(w->docs, w->docs->n_workers == 1 ? w->doc : w->docs->waiting, job);
}

/* ---- the run ---- */

int sh_feature_docs_init(struct sh_feature_docs *d, const struct sh_feature_calls *calls,
    void *const *own, unsigned n_workers, struct sh_error *err)
{
	unsigned states = sh_feature_docs_states(n_workers);

	*d = (struct sh_feature_docs){ .calls = calls, .n_workers = n_workers };
	d->worker = calloc(n_workers, sizeof *d->worker);
	d->doc = calloc(states, sizeof *d->doc);
	if (!d->worker || !d->doc)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < states; i++) {
		d->doc[i].own = own[i];
		if (sh_feature_lines_init(&d->doc[i].lines, calls->split, err) < 0)
			return -1;
	}
	for (unsigned i = 0; i < n_workers; i++)
		d->worker[i] = (struct sh_feature_worker){ d, &d->doc[i] };
	d->waiting = &d->doc[states - 1];
	return sh_past_ids_init(&d->past, err);
}

void sh_feature_docs_free(struct sh_feature_docs *d)
{
	for (unsigned i = 0; d->doc && i < sh_feature_docs_states(d->n_workers); i++)
		sh_feature_lines_free(&d->doc[i].lines);
	free(d->worker);
	free(d->doc);
	sh_past_ids_free(&d->past);
}
