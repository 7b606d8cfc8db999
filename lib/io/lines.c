/* SPDX-License-Identifier: MIT */
#include "io/lines.h"

#include "io/newlines.h"

void sh_lines_init(struct sh_lines *l, char *const *names, size_t n_names)
{
	*l = (struct sh_lines){ 0 };
	sh_source_init(&l->source, names, n_names);
}

void sh_lines_free(struct sh_lines *l)
{
	sh_source_free(&l->source);
	sh_buf_free(&l->chunk);
}

int sh_lines_next(struct sh_lines *l, struct sh_slice *line, struct sh_error *err)
{
	struct sh_slice rest;

	if (l->at == l->chunk.n) {
		int got = sh_source_read(&l->source, &l->chunk, &l->from, err);

		if (got <= 0) {
			l->at = l->chunk.n = 0;
			return got;
		}
		l->at = 0;
		l->starts_file = l->from.starts_file;
		l->end = l->from.line + l->from.lines;
	} else {
		l->from.line += l->ends;
		l->starts_file = false;
	}
	rest = sh_lines_rest(l);
	l->start = l->at;
	*line = sh_record_front(rest, l->from.csv);
	l->at += line->n + (line->n < rest.n);
	l->ends = l->from.csv ? 1 + sh_count_newlines(line->p, line->n) : 1;
	if (sh_trailer_refuse(*line, err) < 0)
		return sh_lines_blame(l, err);
	return 1;
}

/* Appends the chunk that the source has peeked at. */
static int append_peeked(struct sh_lines *l, struct sh_error *err)
{
	struct sh_source *s = &l->source;
	struct sh_slice more = sh_source_peeked(s), rest = sh_lines_rest(l);

	if (l->at)
		memmove(l->chunk.p, rest.p, rest.n);
	l->chunk.n = rest.n;
	l->at = 0;
	if (sh_buf_reserve(&l->chunk, more.n + SH_PAD, err) < 0)
		return -1;
	memcpy(l->chunk.p + l->chunk.n, more.p, more.n + SH_PAD);
	l->chunk.n += more.n;
	l->end += s->peeked_from.lines;
	s->peeked.n = s->passed = 0;
	return 1;
}

int sh_lines_more(struct sh_lines *l, struct sh_error *err)
{
	struct sh_source *s = &l->source;
	struct sh_slice line;
	int got = sh_source_ready(s) ? sh_source_peek(s, &line, &s->failure) : 0;

	if (got < 0)
		s->failed = true; /* the next read returns the error */
	if (got <= 0 || s->peeked_from.file != l->from.file || s->peeked_from.line != l->end)
		return 0;
	return append_peeked(l, err);
}

int sh_lines_blame(const struct sh_lines *l, struct sh_error *err)
{
	if (err->code == SH_ERR_IO || err->code == SH_ERR_NOMEM)
		return -1;
	err->file = l->from.file;
	err->line = l->from.line;
	return -1;
}
