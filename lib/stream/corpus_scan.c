/* Reads the documents of a file by several threads. A task has the lines that begin in one range of
 * the file. */
#include <stdlib.h>

#include "base/siphash.h"
#include "io/newlines.h"
#include "io/parallel.h"
#include "stream/corpus.h"

enum { RANGE = 1 << 18 }; /* bytes of a range */

/* A trailer or a bad line. The calling thread reads it again after all tasks. */
struct special {
	uint64_t at;   /* offset in the file */
	uint64_t line; /* its number in the file, from 1; during a task: its number in the range */
};

struct scan {
	struct sh_corpus *corpus;
	const struct sh_corpus_file *file;
	uint64_t begin; /* offset of the first line behind the header and a byte order mark */
	size_t ranges;
	/* CSV, by range: an odd number of quotes precedes the bytes that look_at() returns */
	bool *quoted;
	uint64_t line;   /* lines of the file before the range that is added next */
	uint64_t *lines; /* records of all files before that range */
	struct special *special;
	size_t n_special, special_cap;
	sh_corpus_bad *bad;
	void *arg; /* of bad() */
	struct sh_trailer_check check;
};

/* ---- ranges ---- */

static uint64_t range_begin(const struct scan *s, size_t range)
{
	uint64_t at = s->begin + (uint64_t)range * RANGE;

	return at < s->file->n ? at : s->file->n;
}

/* Returns the bytes from .. to-1 of the file, without the bytes at their end that are in pieces of
 * the temporary file. */
static struct sh_slice in_memory(const struct scan *s, uint64_t from, uint64_t to)
{
	const struct sh_pieces *p = &s->corpus->pieces;
	uint64_t place = s->file->in_pieces + from;

	if (s->file->map.base)
		return sh_slice(s->file->map.p + from, (size_t)(to - from));
	if (!sh_pieces_held(p, place))
		return sh_slice("", 0);
	if (to - from > p->held.n - place)
		to = from + (p->held.n - place);
	return sh_slice(p->held.p + place, (size_t)(to - from));
}

/* Returns the bytes where an LF would begin a line in the range. Leaves out bytes in pieces of the
 * temporary file. Sets *from to the offset of the first byte. */
static struct sh_slice look_at(const struct scan *s, size_t range, uint64_t *from)
{
	uint64_t to = range_begin(s, range + 1) - 1;

	*from = range ? range_begin(s, range) - 1 : s->begin;
	return in_memory(s, *from, to);
}

/* Returns the offset of the first line that begins in the range, or an offset behind the range. */
static uint64_t first_line(const struct scan *s, size_t range)
{
	bool csv = s->corpus->form.csv;
	struct sh_slice look;
	uint64_t from;
	size_t n;

	if (range == 0)
		return s->begin;
	look = look_at(s, range, &from);
	n = csv ? sh_csv_record(look.p, look.n, s->quoted[range]) : sh_record_front(look, false).n;
	if (n < look.n || from + look.n + 1 == range_begin(s, range + 1))
		return from + n + 1;
	/* Pieces begin with lines. */
	return sh_pieces_next(&s->corpus->pieces, s->file->in_pieces + from + 1) -
	       s->file->in_pieces;
}

static int count_quotes(void *scan, size_t from, size_t to, struct sh_error *err)
{
	const struct scan *s = scan;

	(void)err;
	for (size_t i = from; i < to; i++) {
		uint64_t at;
		struct sh_slice look = look_at(s, i, &at);

		sh_csv_whole(look.p, look.n, &s->quoted[i + 1]);
	}
	return 0;
}

static int divide(struct scan *s, unsigned jobs, struct sh_error *err)
{
	s->ranges = (size_t)((s->file->n - s->begin + RANGE - 1) / RANGE);
	if (!s->corpus->form.csv)
		return 0;
	s->quoted = calloc(s->ranges + 1, sizeof *s->quoted);
	if (!s->quoted)
		return sh_error_nomem(err);
	if (sh_parallel(s, 0, jobs, s->ranges, 1, count_quotes, err) < 0)
		return -1;
	for (size_t i = 0; i < s->ranges; i++)
		s->quoted[i + 1] ^= s->quoted[i];
	return 0;
}

/* ---- lines, by several threads ---- */

struct reader {
	const struct scan *scan;
	struct sh_document_room room;
};

static int note_special(struct sh_job *job, uint64_t at)
{
	struct special x = { at, job->at + 1 };

	return sh_buf_add(&job->facts, &x, sizeof x, &job->err);
}

/* Appends the offset of a document to job->out. Appends to job->aside the hash of its id, or with
 * line_ids its number among the records of the range, from 1. */
static int read_line(struct reader *r, struct sh_job *job, struct sh_slice line, uint64_t at)
{
	const struct scan *s = r->scan;
	const struct sh_corpus *c = s->corpus;
	uint64_t offset = s->file->base + at, value;
	struct sh_document doc;

	if (sh_is_trailer(line.p, line.n))
		return note_special(job, at);
	if (c->trailer)
		sh_sum_line(&job->sum, line, c->form.crlf);
	value = ++job->records;
	if (sh_document_parse(&c->form, line, value, &r->room, &doc, &job->err) < 0)
		return job->err.code == SH_ERR_RECORD ? note_special(job, at) : -1;
	if (!c->form.line_ids)
		value = sh_siphash(c->key, doc.id.p, doc.id.n);
	if (sh_buf_add(&job->out, &offset, sizeof offset, &job->err) < 0)
		return -1;
	return sh_buf_add(&job->aside, &value, sizeof value, &job->err);
}

/* Reads the lines of `part` that begin before offset `end`. Moves *at behind them. */
static int read_part(
    struct reader *r, struct sh_job *job, struct sh_slice part, uint64_t *at, uint64_t end)
{
	bool csv = r->scan->corpus->form.csv;

	while (part.n && *at < end) {
		struct sh_slice line = sh_record_front(part, csv);
		size_t n = line.n + (line.n < part.n);

		if (read_line(r, job, line, *at) < 0)
			return -1;
		job->at += 1 + (csv ? sh_count_newlines(line.p, line.n) : 0);
		part = sh_slice(part.p + n, part.n - n);
		*at += n;
	}
	return 0;
}

static int work(void *reader, struct sh_job *job)
{
	struct reader *r = reader;
	const struct scan *s = r->scan;
	uint64_t at = first_line(s, job->task), end = range_begin(s, job->task + 1);

	job->at = 0;
	job->sum = (struct sh_sum){ 0 };
	while (at < end) {
		/* A task has all lines of a piece that begins in its range. */
		uint64_t stop = in_memory(s, at, end).n ? end : s->file->n;
		struct sh_slice part;

		if (sh_corpus_bytes(s->corpus, s->file, at, &r->room, &part, &job->err) < 0 ||
		    read_part(r, job, part, &at, stop) < 0)
			return -1;
	}
	return 0;
}

/* ---- ranges, in order ---- */

static int add_special(struct scan *s, struct sh_job *job, struct sh_error *err)
{
	struct special *x = (struct special *)(void *)job->facts.p;
	size_t n = job->facts.n / sizeof *x;

	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		x[i].line += s->line;
	if (SH_RESERVE(s->special, s->special_cap, s->n_special + n, err) < 0)
		return -1;
	memcpy(s->special + s->n_special, x, n * sizeof *x);
	s->n_special += n;
	return 0;
}

static int add_range(void *scan, struct sh_job *job, struct sh_error *err)
{
	struct scan *s = scan;
	bool numbers = s->corpus->form.line_ids;
	uint64_t *value = (uint64_t *)(void *)job->aside.p;
	size_t n = job->aside.n / sizeof *value;
	struct sh_corpus_columns new = {
		.offset = (const uint64_t *)(void *)job->out.p,
		.number = numbers ? value : NULL,
		.hash = numbers ? NULL : value,
	};

	for (size_t i = 0; numbers && i < n; i++)
		value[i] += *s->lines;
	if (add_special(s, job, err) < 0 || sh_corpus_add(s->corpus, &new, n, err) < 0)
		return -1;
	sh_sum_join(&s->check.found, &job->sum);
	s->line += job->at;
	*s->lines += job->records;
	return 0;
}

/* ---- the file ---- */

/* Finds the first line: behind the header, and then behind a byte order mark. */
static int scan_head(struct scan *s, struct sh_document_room *room, struct sh_error *err)
{
	struct sh_corpus *c = s->corpus;
	struct sh_slice all, rest;
	size_t n = 0;

	if (sh_corpus_bytes(c, s->file, 0, room, &all, err) < 0)
		return -1;
	c->header.csv = c->form.csv;
	if (c->form.columns && all.n) {
		if (sh_header_check(&c->header, all, s->file->name, &n, err) < 0 ||
		    sh_docs_header(&c->form, &c->header, err) < 0)
			return -1;
		s->line = sh_count_newlines(all.p, n);
	}
	rest = sh_slice(all.p + n, all.n - n);
	if (sh_docs_head(&rest, err) < 0) {
		err->file = s->file->name;
		return -1;
	}
	s->begin = (uint64_t)(rest.p - all.p);
	return 0;
}

/* Examines a trailer, or parses a bad line again for its error. */
static int examine(
    struct scan *s, struct sh_slice line, struct sh_document_room *room, struct sh_error *err)
{
	const struct sh_corpus *c = s->corpus;
	struct sh_document doc;

	if (!sh_is_trailer(line.p, line.n))
		return sh_document_parse(&c->form, line, 0, room, &doc, err);
	if (!c->trailer)
		return sh_trailer_unexpected(err);
	return sh_trailer_add(&s->check, c->form.crlf ? sh_without_cr(line) : line, err);
}

static int handle_special(struct scan *s, struct sh_document_room *room, struct sh_error *err)
{
	for (size_t i = 0; i < s->n_special; i++) {
		struct special x = s->special[i];
		struct sh_slice line;

		if (sh_corpus_bytes(s->corpus, s->file, x.at, room, &line, err) < 0)
			return -1;
		line = sh_record_front(line, s->corpus->form.csv);
		if (examine(s, line, room, err) == 0)
			continue;
		err->file = s->file->name;
		err->line = x.line;
		if (err->code != SH_ERR_RECORD || s->bad(s->arg, line, err) < 0)
			return -1;
	}
	return 0;
}

static int read_ranges(struct scan *s, unsigned jobs, struct sh_error *err)
{
	struct reader *readers = calloc(jobs, sizeof *readers);
	void **workers = calloc(jobs, sizeof *workers);
	struct sh_pool pool = { work, workers, jobs, add_range, s };
	int status = readers && workers ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < jobs; i++) {
		readers[i].scan = s;
		workers[i] = &readers[i];
	}
	if (status == 0)
		status = sh_pool_tasks(&pool, s->ranges, err);
	for (unsigned i = 0; readers && i < jobs; i++)
		sh_document_room_free(&readers[i].room);
	free(readers);
	free(workers);
	return status;
}

static int scan_file(struct scan *s, struct sh_document_room *room, struct sh_error *err)
{
	unsigned jobs = s->corpus->jobs ? s->corpus->jobs : 1;
	struct sh_error failure;
	int status;

	if (scan_head(s, room, err) < 0 || divide(s, jobs, err) < 0)
		return -1;
	status = read_ranges(s, jobs, &failure);
	/* A bad line before the failure is reported in place of the failure. */
	if (handle_special(s, room, err) < 0)
		return -1;
	if (status < 0)
		*err = failure;
	else if (s->corpus->trailer)
		status = sh_trailer_verify(&s->check, err);
	if (status < 0 && err->code != SH_ERR_NOMEM && err->code != SH_ERR_IO)
		err->file = s->file->name;
	return status;
}

int sh_corpus_scan(
    struct sh_corpus *c, uint64_t *lines, sh_corpus_bad *bad, void *arg, struct sh_error *err)
{
	struct scan s = { .corpus = c,
		.file = &c->file[c->n_files - 1],
		.lines = lines,
		.bad = bad,
		.arg = arg };
	struct sh_document_room room = { 0 };
	int status = scan_file(&s, &room, err);

	sh_document_room_free(&room);
	free(s.quoted);
	free(s.special);
	return status;
}
