/* SPDX-License-Identifier: MIT */
#include "stream/corpus_lines.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "io/newlines.h"
#include "io/parallel.h"
#include "unicode/utf8.h"

enum { RANGE = 1 << 17 }; /* bytes of a range */

/* ---- ranges ---- */

static uint64_t range_begin(const struct sh_corpus_range_file *f, size_t range)
{
	uint64_t at = f->begin + (uint64_t)range * RANGE;

	return at < f->file->n ? at : f->file->n;
}

/* Returns the bytes from .. to-1 of the file, without the bytes at their end that are in pieces of
 * the temporary file. */
static struct sh_slice in_memory(
    const struct sh_corpus *c, const struct sh_corpus_file *f, uint64_t from, uint64_t to)
{
	const struct sh_pieces *p = &c->pieces;
	uint64_t place = f->in_pieces + from;

	if (f->map.base)
		return sh_slice(f->map.p + from, (size_t)(to - from));
	if (!sh_pieces_held(p, place))
		return sh_slice("", 0);
	if (to - from > p->held.n - place)
		to = from + (p->held.n - place);
	return sh_slice(p->held.p + place, (size_t)(to - from));
}

/* Returns the bytes where an LF would begin a line in the range. Leaves out bytes in pieces of the
 * temporary file. Sets *from to the offset of the first byte. */
static struct sh_slice look_at(
    const struct sh_corpus *c, const struct sh_corpus_range_file *f, size_t range, uint64_t *from)
{
	uint64_t to = range_begin(f, range + 1) - 1;

	*from = range ? range_begin(f, range) - 1 : f->begin;
	return in_memory(c, f->file, *from, to);
}

/* Returns the offset of the first line that begins in the range, or an offset behind the range. */
static uint64_t first_line(
    const struct sh_corpus *c, const struct sh_corpus_range_file *f, size_t range)
{
	struct sh_slice look;
	uint64_t from;
	size_t n;

	if (range == 0)
		return f->begin;
	look = look_at(c, f, range, &from);
	n = c->form.csv ? sh_csv_record(look.p, look.n, f->quoted[range])
			: sh_record_front(look, false).n;
	if (n < look.n || from + look.n + 1 == range_begin(f, range + 1))
		return from + n + 1;
	/* Pieces begin with lines. */
	return sh_pieces_next(&c->pieces, f->file->in_pieces + from + 1) - f->file->in_pieces;
}

/* Returns the offset of the first line that begins behind the range, or the end of the file. */
static uint64_t end_of_lines(
    const struct sh_corpus *c, const struct sh_corpus_range_file *f, size_t range)
{
	while (++range < f->ranges) {
		uint64_t at = first_line(c, f, range);

		if (at < range_begin(f, range + 1))
			return at;
	}
	return f->file->n;
}

/* ---- files ---- */

struct counting {
	const struct sh_corpus *corpus;
	const struct sh_corpus_range_file *file;
};

static int count_quotes(void *counting, size_t from, size_t to, struct sh_error *err)
{
	const struct counting *x = counting;

	(void)err;
	for (size_t i = from; i < to; i++) {
		uint64_t at;
		struct sh_slice look = look_at(x->corpus, x->file, i, &at);

		sh_csv_whole(look.p, look.n, &x->file->quoted[i + 1]);
	}
	return 0;
}

static int find_quotes(
    const struct sh_corpus *c, struct sh_corpus_range_file *f, struct sh_error *err)
{
	struct counting x = { c, f };

	f->quoted = calloc(f->ranges + 1, sizeof *f->quoted);
	if (!f->quoted)
		return sh_error_nomem(err);
	if (sh_parallel(&x, 0, c->jobs ? c->jobs : 1, f->ranges, 1, count_quotes, err) < 0)
		return -1;
	for (size_t i = 0; i < f->ranges; i++)
		f->quoted[i + 1] ^= f->quoted[i];
	return 0;
}

/* Sets *n to the bytes of the header of the file. */
static int read_header(
    struct sh_corpus *c, const char *name, struct sh_slice all, size_t *n, struct sh_error *err)
{
	*n = 0;
	c->header.csv = c->form.csv;
	if (!c->form.columns || all.n == 0)
		return 0;
	if (sh_header_check(&c->header, all, name, n, err) < 0)
		return -1;
	return sh_docs_header(&c->form, &c->header, err);
}

/* Divides a file into ranges. */
static int divide(struct sh_corpus *c, struct sh_corpus_range_file *f,
    struct sh_document_room *room, struct sh_error *err)
{
	const struct sh_trailer_check none = { 0 };
	struct sh_slice all;
	size_t n;

	if (sh_corpus_bytes(c, f->file, 0, room, &all, err) < 0 ||
	    read_header(c, f->file->name, all, &n, err) < 0)
		return -1;
	f->begin = n ? n : all.n - sh_utf8_skip_bom(all).n;
	f->line = 1 + sh_count_newlines(all.p, n);
	f->ranges = (size_t)((f->file->n - f->begin + RANGE - 1) / RANGE);
	if (f->ranges == 0 && c->trailer && sh_trailer_verify(&none, err) < 0) {
		err->file = f->file->name;
		return -1;
	}
	return c->form.csv ? find_quotes(c, f, err) : 0;
}

static int divide_all(struct sh_corpus_lines *l, struct sh_corpus *c, size_t from,
    struct sh_document_room *room, struct sh_error *err)
{
	for (size_t i = from; i < c->n_files; i++) {
		struct sh_corpus_range_file *f = &l->file[l->n_files++];

		f->file = &c->file[i];
		f->task = l->tasks;
		if (divide(c, f, room, err) < 0)
			return -1;
		l->tasks += f->ranges;
	}
	return 0;
}

/* ---- tasks ---- */

static const struct sh_corpus_range_file *file_of(const struct sh_corpus_lines *l, size_t task)
{
	size_t lo = 1, hi = l->n_files;

	/* A file without ranges has the first task of the file behind it. */
	SH_BISECT(lo, hi, mid, l->file[mid].task <= task);
	return &l->file[lo - 1];
}

/* Sets job->in to the bytes from .. to-1, which are whole lines, and whole pieces where they are in
 * the temporary file. */
static int read_bytes(const struct sh_corpus *c, const struct sh_corpus_file *f, uint64_t from,
    uint64_t to, struct sh_job *job, struct sh_document_room *room)
{
	job->in = in_memory(c, f, from, to);
	if (job->in.n == to - from)
		return 0;
	job->chunk.n = 0;
	while (from < to) {
		struct sh_slice part;

		if (sh_corpus_bytes(c, f, from, room, &part, &job->err) < 0)
			return -1;
		if (sh_buf_add(&job->chunk, part.p, part.n, &job->err) < 0)
			return -1;
		from += part.n;
	}
	if (sh_buf_reserve(&job->chunk, SH_PAD, &job->err) < 0)
		return -1;
	job->in = sh_buf_slice(&job->chunk);
	return 0;
}

/* Sets the line of job->err: the line that begins at p. */
static int fail_at(struct sh_job *job, const char *p)
{
	job->err.file = job->from.file;
	job->err.line = 1 + sh_count_newlines(job->in.p, (size_t)(p - job->in.p));
	return -1;
}

/* Refuses a line that is longer than SH_LINE_MAX: the last line of its task. */
static int refuse_long(struct sh_job *job)
{
	struct sh_slice rest = job->in;

	while (rest.n > SH_LINE_MAX) {
		struct sh_slice line = sh_record_front(rest, job->from.csv);
		size_t n = line.n + (line.n < rest.n);

		if (line.n > SH_LINE_MAX) {
			sh_line_too_long(&job->err);
			return fail_at(job, rest.p);
		}
		rest = sh_slice(rest.p + n, rest.n - n);
	}
	return 0;
}

/* Sets job->check. */
static int check_lines(struct sh_job *job, bool crlf)
{
	struct sh_slice rest = job->in;

	for (;;) {
		size_t n = sh_sum_lines(&job->check.found, rest.p, rest.n, crlf);
		struct sh_slice line;

		rest = sh_slice(rest.p + n, rest.n - n);
		if (rest.n == 0)
			return 0;
		line = sh_record_front(rest, false);
		if (sh_trailer_add(&job->check, crlf ? sh_without_cr(line) : line, &job->err) < 0)
			return fail_at(job, rest.p);
		n = line.n + (line.n < rest.n);
		rest = sh_slice(rest.p + n, rest.n - n);
	}
}

int sh_corpus_lines_read(
    const struct sh_corpus_lines *l, struct sh_job *job, struct sh_document_room *room)
{
	const struct sh_corpus *c = l->corpus;
	const struct sh_corpus_range_file *f = file_of(l, job->task);
	size_t range = job->task - f->task;
	uint64_t from = first_line(c, f, range), to = from;

	if (from < range_begin(f, range + 1))
		to = end_of_lines(c, f, range);
	job->at = 0;
	job->check = (struct sh_trailer_check){ 0 };
	job->from = (struct sh_origin){ .file = f->file->name,
		.line = 1,
		.number = 1,
		.at = f->file->base + from,
		.starts_file = range == 0,
		.csv = c->form.csv,
		.blanks = sh_document_blanks(&c->form),
		.header = c->form.columns != NULL,
		.trailer = c->trailer };
	if (read_bytes(c, f->file, from, to, job, room) < 0 ||
	    (job->in.n > SH_LINE_MAX && refuse_long(job) < 0))
		return -1;
	return c->trailer ? check_lines(job, c->form.crlf) : 0;
}

/* ---- numbers of lines ---- */

/* Joins the trailers of a file. Compares them with its lines in the last task of the file. */
static int check_file(struct sh_corpus_lines *l, const struct sh_corpus_range_file *f,
    const struct sh_job *job, struct sh_error *err)
{
	struct sh_trailer_check *all = &l->check;

	if (job->task == f->task)
		*all = (struct sh_trailer_check){ 0 };
	sh_sum_join(&all->found, &job->check.found);
	sh_sum_join(&all->expected, &job->check.expected);
	all->any = all->any || job->check.any;
	all->no_sum = all->no_sum || job->check.no_sum;
	if (job->task + 1 < f->task + f->ranges || sh_trailer_verify(all, err) == 0)
		return 0;
	err->file = job->from.file;
	return -1;
}

int sh_corpus_lines_done(struct sh_corpus_lines *l, struct sh_job *job, struct sh_error *err)
{
	const struct sh_corpus_range_file *f = file_of(l, job->task);

	if (job->task == f->task)
		l->line = f->line;
	job->from.line = l->line;
	job->from.number = l->number;
	if (job->failed) {
		if (job->err.file == job->from.file && job->err.line)
			job->err.line += l->line - 1;
		return 0;
	}
	l->line += job->at;
	l->number += job->from.trailer ? job->check.found.lines : job->at;
	return l->corpus->trailer ? check_file(l, f, job, err) : 0;
}

/* ---- all files ---- */

int sh_corpus_lines_init(struct sh_corpus_lines *l, struct sh_corpus *c, size_t from,
    uint64_t number, struct sh_error *err)
{
	struct sh_document_room room = { 0 };
	int status;

	*l = (struct sh_corpus_lines){
		.corpus = c, .file = calloc(c->n_files - from, sizeof *l->file), .number = number
	};
	status = l->file ? divide_all(l, c, from, &room, err) : sh_error_nomem(err);
	sh_document_room_free(&room);
	if (status < 0)
		sh_corpus_lines_free(l);
	return status;
}

void sh_corpus_lines_free(struct sh_corpus_lines *l)
{
	for (size_t i = 0; i < l->n_files; i++)
		free(l->file[i].quoted);
	free(l->file);
}
