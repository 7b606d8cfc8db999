/* SPDX-License-Identifier: MIT */
#include "stream/feature_docs.h"

#include <stdlib.h>
#include <xxhash.h>

#include "io/newlines.h"

/* A document that a job began: an element of job->facts. */
struct beginning {
	struct sh_slice id;
	const char *file;
	uint64_t line;
};

/* ---- records ---- */

/* Returns whether a feature has too many words for the program. */
static bool is_wide(const struct sh_feature_docs *d, struct sh_slice feature)
{
	unsigned most = d->calls->words_max;

	return most && feature.n > most && sh_feature_words(feature) > most;
}

static int read_record(const struct sh_feature_docs *d, struct sh_slice line, struct sh_feature *f,
    struct sh_error *err)
{
	if (sh_record_feature(d->crlf ? sh_without_cr(line) : line, f, err) < 0)
		return -1;
	if (!is_wide(d, f->text))
		return 0;
	return sh_error_set(err, SH_ERR_RECORD,
	    "%llu words in the second field: a text, expected a feature of at most %u words "
	    "(-f 1,2 reads documents)",
	    (unsigned long long)sh_feature_words(f->text), d->calls->words_max);
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

/* Hands the collected features to the program. */
static int add_features(struct sh_feature_doc *d, struct sh_job *job)
{
	size_t n = d->n, added;

	if (n == 0)
		return 0;
	added = d->docs->calls->add(d, &job->err);
	d->n = 0;
	if (added == n)
		return 0;
	if (job->err.code != SH_ERR_IO && job->err.code != SH_ERR_NOMEM) {
		job->err.file = d->file;
		job->err.line = d->first + added;
	}
	return -1;
}

/* Ends the document. Reports an error at the last record of the document, not at the record that is
 * being read. */
static int end_document(struct sh_feature_doc *d, struct sh_job *job)
{
	size_t out = job->out.n;
	struct sh_error *err = &job->err;

	if (!d->begun)
		return 0;
	if (add_features(d, job) < 0)
		return -1;
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

static int begin_document(struct sh_feature_doc *d, struct sh_slice id, struct sh_job *job)
{
	struct beginning b = { id, job->from.file, sh_job_line(job) };

	memcpy(d->prefix, id.p, id.n);
	d->prefix[id.n] = '\t';
	d->prefix_n = id.n + 1;
	d->begun = true;
	return sh_buf_add(&job->facts, &b, sizeof b, &job->err);
}

void sh_feature_docs_done(struct sh_feature_docs *d, const struct sh_job *job)
{
	const struct beginning *b = (const struct beginning *)(const void *)job->facts.p;

	for (size_t i = 0; i < job->facts.n / sizeof *b; i++) {
		struct sh_slice id = b[i].id;
		uint64_t hash = XXH3_64bits(id.p, id.n);
		uint64_t *past = &d->past[hash / (UINT64_MAX / SH_PAST_IDS + 1)];

		if (*past == hash && d->again++ == 0) {
			d->again_n = (size_t)sh_shown(id, sizeof d->again_id);
			memcpy(d->again_id, id.p, d->again_n);
			d->again_file = b[i].file;
			d->again_line = b[i].line;
		}
		*past = hash;
	}
}

/* ---- chunks ---- */

static int each_record(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct sh_feature_doc *d = arg;
	uint64_t number = sh_job_line(job);
	struct sh_feature f;

	if (read_record(d->docs, line, &f, err) < 0)
		return -1;
	if (!d->begun || !sh_slice_eq(f.id, sh_feature_doc_id(d))) {
		if (end_document(d, job) < 0 || begin_document(d, f.id, job) < 0)
			return -1;
	} else if ((d->n == SH_FEATURES_MAX || d->first + d->n != number) &&
		   add_features(d, job) < 0) {
		return -1;
	}
	d->file = job->from.file;
	d->line = number;
	if (f.text.n == 0)
		return 0;
	if (d->n == 0)
		d->first = number;
	d->text[d->n] = f.text;
	d->weight[d->n++] = f.weight;
	return 0;
}

/* Collects the usual records of the document in one call: see sh_job_runs(). */
static const char *more_records(
    void *arg, const char *p, const char *end, struct sh_job *job, uint64_t *lines)
{
	struct sh_feature_doc *d = arg;
	struct sh_slice prefix = sh_slice(d->prefix, d->prefix_n);
	uint64_t number = sh_job_line(job);
	size_t before = d->n;

	*lines = 0;
	if (!d->begun || end[-1] != '\n' || (d->n && d->first + d->n != number))
		return p;
	while (p < end && d->n < SH_FEATURES_MAX) {
		struct sh_slice *text = &d->text[d->n];
		const char *next = sh_feature_line(prefix, p, end, text, &d->weight[d->n]);

		if (!next || is_wide(d->docs, *text))
			break;
		d->n++;
		p = next;
	}
	*lines = d->n - before;
	if (before == 0)
		d->first = number;
	if (*lines) {
		d->file = job->from.file;
		d->line = number + *lines - 1;
	}
	return p;
}

int sh_feature_docs_work(void *worker, struct sh_job *job)
{
	struct sh_feature_doc *d = worker;
	const struct sh_origin from = job->from;
	const struct sh_slice in = job->in;
	const char *p = in.p;
	int status = 0;

	d->begun = false;
	d->n = 0;
	for (size_t i = 0; status == 0 && i < from.stretches; i++) {
		const struct sh_stretch *s = &from.stretch[i];

		job->in = sh_slice(p, s->bytes);
		job->from.file = s->file;
		job->from.line = s->line;
		job->from.at = s->at;
		status = sh_job_runs(job, d->docs->rejects, each_record, more_records, d);
		if (status == 0)
			status = add_features(d, job);
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
		if (calls->init(doc->own, arg, err) < 0) {
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
	}
	free(d->doc);
}
