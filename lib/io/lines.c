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
	bool skipped = false;

	do {
		struct sh_slice rest;

		if (l->at == l->chunk.n) {
			int got = sh_source_read(&l->source, &l->chunk, &l->from, err);

			if (got <= 0) {
				l->at = l->chunk.n = 0;
				return got;
			}
			l->at = 0;
			l->starts_file = l->from.starts_file;
		} else {
			l->from.line += l->ends;
			l->starts_file = l->starts_file && skipped;
		}
		rest = sh_slice(l->chunk.p + l->at, l->chunk.n - l->at);
		*line = sh_record_front(rest, l->from.csv);
		l->at += line->n + (line->n < rest.n);
		l->ends = l->from.csv ? 1 + sh_count_newlines(line->p, line->n) : 1;
		skipped = l->from.trailer && sh_is_trailer(line->p, line->n);
	} while (skipped);
	if (sh_trailer_refuse(*line, err) < 0)
		return sh_lines_blame(l, err);
	return 1;
}

int sh_lines_blame(const struct sh_lines *l, struct sh_error *err)
{
	if (err->code == SH_ERR_IO || err->code == SH_ERR_NOMEM)
		return -1;
	err->file = l->from.file;
	err->line = l->from.line;
	return -1;
}
