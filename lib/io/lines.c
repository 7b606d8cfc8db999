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
}

int sh_lines_next(struct sh_lines *l, struct sh_slice *line, struct sh_error *err)
{
	struct sh_source *s = &l->source;
	bool fresh = sh_lines_at_end(l);
	int got;

	if (l->held)
		sh_source_pass(s);
	got = sh_source_peek(s, line, err);
	l->held = got > 0;
	if (got <= 0)
		return got;
	if (fresh) {
		l->chunk = sh_source_peeked(s);
		l->from.lines = sh_count_newlines(l->chunk.p, l->chunk.n) +
				(l->chunk.p[l->chunk.n - 1] != '\n');
	}
	l->from.file = s->name;
	l->from.line = s->line;
	l->starts_file = !s->begun;
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
