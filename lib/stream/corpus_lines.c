/* SPDX-License-Identifier: MIT */
#include "stream/corpus_lines.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "io/newlines.h"
#include "io/parallel.h"
#include "unicode/utf8.h"

enum { RANGE = 1 << 17 }; /* bytes of a range */

/* ---- ranges ---- */

/* Returns the offset where a range begins, or the end of the file. */
static size_t range_begin(const struct sh_corpus_range_file *f, size_t range)
{
	uint64_t at = f->begin + (uint64_t)range * RANGE;

	return at < f->file->n ? (size_t)at : f->file->n;
}

/* Returns the bytes where an LF would begin a line in the range. */
static struct sh_slice look_at(const struct sh_corpus_range_file *f, size_t range)
{
	size_t from = range ? range_begin(f, range) - 1 : f->begin;

	return sh_slice(f->file->p + from, range_begin(f, range + 1) - 1 - from);
}

/* Returns the offset of the first line that begins in the range, or the end of the range. */
static size_t first_line(const struct sh_corpus_range_file *f, size_t range)
{
	struct sh_slice look;
	size_t n;

	if (range == 0)
		return f->begin;
	look = look_at(f, range);
	n = f->quoted ? sh_csv_record(look.p, look.n, f->quoted[range])
		      : sh_record_front(look, false).n;
	return range_begin(f, range) + n;
}

/* Returns the offset of the first line that begins behind the range, or the end of the file. */
static size_t end_of_lines(const struct sh_corpus_range_file *f, size_t range)
{
	while (++range < f->ranges) {
		size_t at = first_line(f, range);

		if (at < range_begin(f, range + 1))
			return at;
	}
	return f->file->n;
}

/* ---- files ---- */

static int count_quotes(void *file, size_t from, size_t to, struct sh_error *err)
{
	const struct sh_corpus_range_file *f = file;

	(void)err;
	for (size_t i = from; i < to; i++) {
		struct sh_slice look = look_at(f, i);

		sh_csv_whole(look.p, look.n, &f->quoted[i + 1]);
	}
	return 0;
}

static int find_quotes(
    const struct sh_corpus *c, struct sh_corpus_range_file *f, struct sh_error *err)
{
	f->quoted = calloc(f->ranges + 1, sizeof *f->quoted);
	if (!f->quoted)
		return sh_error_nomem(err);
	if (sh_parallel(f, 0, c->jobs ? c->jobs : 1, f->ranges, 1, count_quotes, err) < 0)
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
static int divide(struct sh_corpus *c, struct sh_corpus_range_file *f, struct sh_error *err)
{
	const struct sh_trailer_check none = { 0 };
	struct sh_slice all = sh_slice(f->file->p, f->file->n);
	size_t n;

	if (read_header(c, f->file->name, all, &n, err) < 0)
		return -1;
	f->begin = n ? n : all.n - sh_utf8_skip_bom(all).n;
	f->line = 1 + sh_count_newlines(all.p, n);
	f->ranges = (f->file->n - f->begin + RANGE - 1) / RANGE;
	if (f->ranges == 0 && c->trailer && sh_trailer_verify(&none, err) < 0) {
		err->file = f->file->name;
		return -1;
	}
	return c->form.csv ? find_quotes(c, f, err) : 0;
}

/* ---- tasks ---- */

static const struct sh_corpus_range_file *file_of(const struct sh_corpus_lines *l, size_t task)
{
	size_t lo = 1, hi = l->n_files;

	/* A file without ranges has the first task of the file behind it. */
	SH_BISECT(lo, hi, mid, l->file[mid].task <= task);
	return &l->file[lo - 1];
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
			job->err.file = job->from.file;
			job->err.line = 1 + sh_count_newlines(job->in.p, job->in.n - rest.n);
			return -1;
		}
		rest = sh_slice(rest.p + n, rest.n - n);
	}
	return 0;
}

int sh_corpus_lines_read(const struct sh_corpus_lines *l, struct sh_job *job)
{
	const struct sh_corpus *c = l->corpus;
	const struct sh_corpus_range_file *f = file_of(l, job->task);
	size_t range = job->task - f->task, from = first_line(f, range), to = from;
	uint64_t trailers;

	if (from < range_begin(f, range + 1))
		to = end_of_lines(f, range);
	job->at = 0;
	job->check = (struct sh_trailer_check){ 0 };
	job->from = (struct sh_origin){ .file = f->file->name,
		.line = 1,
		.number = 1,
		.at = f->file->base + from,
		.starts_file = job->task == f->task,
		.csv = c->form.csv,
		.blanks = sh_document_blanks(&c->form),
		.header = c->form.columns != NULL,
		.trailer = c->trailer };
	job->in = sh_slice(f->file->p + from, to - from);
	if (job->in.n > SH_LINE_MAX && refuse_long(job) < 0)
		return -1;
	if (c->trailer &&
	    sh_trailer_add_lines(&job->check, job->in, c->form.crlf, &trailers, &job->err) < 0) {
		job->err.file = job->from.file;
		return -1;
	}
	return 0;
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
	*l = (struct sh_corpus_lines){
		.corpus = c, .file = calloc(c->n_files - from, sizeof *l->file), .number = number
	};
	if (!l->file)
		return sh_error_nomem(err);
	for (size_t i = from; i < c->n_files; i++) {
		struct sh_corpus_range_file *f = &l->file[l->n_files++];

		f->file = &c->file[i];
		f->task = l->tasks;
		if (divide(c, f, err) < 0) {
			sh_corpus_lines_free(l);
			return -1;
		}
		l->tasks += f->ranges;
	}
	return 0;
}

void sh_corpus_lines_free(struct sh_corpus_lines *l)
{
	for (size_t i = 0; i < l->n_files; i++)
		free(l->file[i].quoted);
	free(l->file);
}
