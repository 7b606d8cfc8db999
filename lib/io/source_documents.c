/* SPDX-License-Identifier: MIT */
/* Chunks of whole documents: see sh_source.border. */
#include <stdlib.h>

#include "io/newlines.h"
#include "io/source.h"

void sh_collected_free(struct sh_collected *c)
{
	sh_buf_free(&c->lines);
	sh_buf_free(&c->read);
	free(c->stretch);
}

/* Adds the lines of c->read, which came from `from`. */
static int collect(struct sh_collected *c, const struct sh_origin *from, struct sh_error *err)
{
	struct sh_stretch *last = c->n ? &c->stretch[c->n - 1] : NULL;

	if (last && c->lines.p[c->lines.n - 1] != '\n') {
		if (sh_buf_add(&c->lines, "\n", 1, err) < 0)
			return -1;
		last->bytes++;
	}
	if (last && last->file == from->file && last->line + last->lines == from->line) {
		last->bytes += c->read.n;
		last->lines += from->lines;
	} else {
		if (SH_RESERVE(c->stretch, c->cap, c->n + 1, err) < 0)
			return -1;
		c->stretch[c->n++] =
		    (struct sh_stretch){ from->file, from->line, from->lines, from->at, c->read.n };
		if (c->n == 1)
			c->from = *from;
	}
	return sh_buf_add(&c->lines, c->read.p, c->read.n, err);
}

/* Returns the number of stretches in the first n bytes. Cuts the last of them in two when it goes
 * on behind. */
static size_t cut_stretch(struct sh_collected *c, size_t n, struct sh_error *err)
{
	size_t i = 0, at = 0;
	struct sh_stretch *s;
	uint64_t lines;

	while (at < n)
		at += c->stretch[i++].bytes;
	if (at == n)
		return i;
	if (SH_RESERVE(c->stretch, c->cap, c->n + 1, err) < 0)
		return 0;
	memmove(&c->stretch[i], &c->stretch[i - 1], (c->n - i + 1) * sizeof *c->stretch);
	c->n++;
	s = &c->stretch[i - 1];
	s->bytes -= at - n;
	lines = sh_count_newlines(c->lines.p + n - s->bytes, s->bytes);
	s->lines = lines;
	s[1].at += s->bytes;
	s[1].bytes = at - n;
	s[1].line += lines;
	s[1].lines -= lines;
	return i;
}

/* Moves the first n bytes of the collected lines to the chunk, and their stretches behind it. */
static int take(struct sh_collected *c, size_t n, struct sh_buf *b, struct sh_origin *from,
    struct sh_error *err)
{
	const size_t align = _Alignof(struct sh_stretch);
	size_t stretches = cut_stretch(c, n, err), room = stretches * sizeof *c->stretch, at;

	b->n = 0;
	if (stretches == 0 || sh_buf_reserve(b, n + SH_PAD + align + room, err) < 0)
		return -1;
	memcpy(b->p, c->lines.p, n);
	memset(b->p + n, 0, SH_PAD);
	b->n = n;
	at = (n + SH_PAD + align - 1) / align * align;
	memcpy(b->p + at, c->stretch, room);
	*from = c->from;
	from->file = c->stretch->file;
	from->line = c->stretch->line;
	from->at = c->stretch->at;
	from->stretch = (const struct sh_stretch *)(const void *)(b->p + at);
	from->stretches = stretches;
	from->lines = 0;
	for (size_t i = 0; i < stretches; i++)
		from->lines += c->stretch[i].lines;
	c->lines.n -= n;
	memmove(c->lines.p, c->lines.p + n, c->lines.n);
	c->n -= stretches;
	memmove(c->stretch, c->stretch + stretches, c->n * sizeof *c->stretch);
	c->from.number += from->lines;
	return 1;
}

int sh_source_read_documents(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	struct sh_collected *c = &s->collected;
	struct sh_origin origin = { 0 };
	size_t end = 0, one = 0;
	int got;

	if (c->failed) {
		*err = c->failure;
		return -1;
	}
	while (end == 0 && (got = sh_source_read_lines(s, &c->read, &origin, err)) > 0) {
		if (collect(c, &origin, err) < 0)
			return -1;
		end = s->border(s->border_arg, c->lines.p, c->lines.n, one);
		one = c->lines.n;
	}
	if (end)
		return take(c, end, b, from, err);
	if (c->lines.n == 0)
		return got;
	c->failed = got < 0;
	if (c->failed)
		c->failure = *err;
	got = take(c, c->lines.n, b, from, err);
	from->cut = c->failed;
	return got;
}
