/* SPDX-License-Identifier: MIT */
#include "io/source.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "io/newlines.h"

void sh_source_init(struct sh_source *s, char *const *names, size_t n_names)
{
	static char *const standard_input[] = { "-" };

	*s = (struct sh_source){
		.names = n_names ? names : standard_input,
		.n_names = n_names ? n_names : 1,
		.cancel = -1,
		.number = 1,
	};
}

/* ---- operands ---- */

static void close_operand(struct sh_source *s)
{
	if (s->open)
		sh_reader_close(&s->reader);
	s->open = false;
}

void sh_source_free(struct sh_source *s)
{
	close_operand(s);
	sh_header_free(&s->header);
	sh_buf_free(&s->waiting);
	sh_buf_free(&s->fresh);
	free(s->stretch);
}

/* Opens the next operand, and reads its first bytes. */
static int open_operand(struct sh_source *s, struct sh_error *err)
{
	int fd = STDIN_FILENO;

	s->name = s->names[s->next++];
	s->line = 1;
	s->begun = s->headed = s->quoted = false;
	s->scanned = 0;
	s->check = (struct sh_trailer_check){ 0 };
	/* A blocking open() of a FIFO waits for a writer and cannot be cancelled. */
	if (strcmp(s->name, "-") != 0)
		fd = open(s->name, O_RDONLY | O_CLOEXEC | (s->cancel >= 0 ? O_NONBLOCK : 0));
	if (fd < 0)
		return sh_cannot_open(s->name, err);
	if (sh_reader_open_fd(&s->reader, fd, s->cancel, s->name, err) < 0)
		return -1;
	s->open = true;
	return 0;
}

/* Checks the trailer and closes the operand, at its end. */
static int end_operand(struct sh_source *s, struct sh_error *err)
{
	if (s->trailer && sh_trailer_verify(&s->check, err) < 0) {
		err->file = s->name;
		return -1;
	}
	close_operand(s);
	return 0;
}

/* ---- lines ---- */

int sh_line_too_long(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD, "line longer than %zu bytes", SH_LINE_MAX);
}

/* Searches the ready bytes for more whole records, or reads once if all are searched. Returns 1, 0
 * at the end of the operand, or -1. */
static int more(struct sh_source *s, struct sh_error *err)
{
	struct sh_slice ready = sh_reader_ready(&s->reader), fresh;
	const char *lf;
	size_t whole;

	if (s->scanned == ready.n) {
		int got;

		/* The operand may have been opened for a peek, without `cancel`. */
		s->reader.cancel = s->cancel;
		got = sh_reader_more(&s->reader, err);
		if (got < 0)
			return -1;
		ready = sh_reader_ready(&s->reader);
		if (got == 0) {
			s->whole = ready.n;
			return 0;
		}
	}
	fresh = sh_slice(ready.p + s->scanned, ready.n - s->scanned);
	if (s->header.csv) {
		whole = sh_csv_whole(fresh.p, fresh.n, &s->quoted);
	} else {
		lf = memrchr(fresh.p, '\n', fresh.n);
		whole = lf ? (size_t)(lf - fresh.p) + 1 : 0;
	}
	if (whole)
		s->whole = s->scanned + whole;
	s->scanned = ready.n;
	if (ready.n - s->whole <= SH_LINE_MAX)
		return 1;
	sh_line_too_long(err);
	err->file = s->name;
	err->line = s->line + sh_count_newlines(ready.p, s->whole);
	return -1;
}

/* Moves the source behind n ready bytes, which the caller has used. */
static void leave(struct sh_source *s, size_t n)
{
	s->whole -= n;
	s->scanned -= n;
	s->at += n;
	s->first = 0;
}

/* Returns the number of lines of n > 0 bytes, of which the last may lack its LF. */
static uint64_t lines_of(const char *p, size_t n)
{
	return sh_count_newlines(p, n) + (p[n - 1] != '\n');
}

/* Counts the first n ready bytes, whole records of `lines` lines. Does not consume the bytes. */
static int count(struct sh_source *s, size_t n, uint64_t lines, struct sh_error *err)
{
	struct sh_slice records = sh_slice(sh_reader_ready(&s->reader).p, n);
	uint64_t trailers = 0;

	if (s->trailer && sh_trailer_add_lines(&s->check, records, s->crlf, &trailers, err) < 0) {
		err->file = s->name;
		err->line += s->line - 1;
		return -1;
	}
	s->line += lines;
	s->number += lines - trailers;
	s->begun = s->begun || lines > trailers;
	leave(s, n);
	return 0;
}

/* Passes over the header of a file; or over its byte order mark (U+FEFF), which would become a part
 * of the first id. */
static int pass_head(struct sh_source *s, struct sh_error *err)
{
	struct sh_slice all = sh_source_peeked(s);
	size_t n = 0;

	s->headed = true;
	if (s->header.wanted) {
		if (sh_header_check(&s->header, all, s->name, &n, err) < 0)
			return -1;
		s->line += sh_count_newlines(all.p, n);
	} else if (all.n >= 3 && memcmp(all.p, "\xef\xbb\xbf", 3) == 0) {
		n = 3;
	}
	sh_reader_consume(&s->reader, n);
	leave(s, n);
	return 0;
}

/* Reads until whole records are ready. Returns 1, 0 at the end of the last operand, or -1. */
static int look(struct sh_source *s, struct sh_error *err)
{
	while (s->whole == 0) {
		int got;

		if (!s->open) {
			if (s->next == s->n_names)
				return 0;
			if (open_operand(s, err) < 0)
				return -1;
		}
		got = more(s, err);
		if (got < 0 || (got == 0 && s->whole == 0 && end_operand(s, err) < 0) ||
		    (s->whole && !s->headed && pass_head(s, err) < 0))
			return -1;
	}
	return 1;
}

/* Puts zeros behind the chunk. */
static int pad(struct sh_buf *b, struct sh_error *err)
{
	if (sh_buf_reserve(b, SH_PAD, err) < 0)
		return -1;
	memset(b->p + b->n, 0, SH_PAD);
	return 0;
}

static int read_chunk(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	int got = look(s, err);
	size_t n = s->whole;

	if (got <= 0)
		return got;
	*from = (struct sh_origin){
		.file = s->name,
		.line = s->line,
		.number = s->number,
		.at = s->at,
		.starts_file = !s->begun,
		.csv = s->header.csv,
		.blanks = s->blanks,
		.header = s->header.wanted,
		.trailer = s->trailer,
	};
	from->lines = lines_of(sh_reader_ready(&s->reader).p, n);
	if (count(s, n, from->lines, err) < 0 || sh_reader_take(&s->reader, n, b, err) < 0)
		return -1;
	return pad(b, err) < 0 ? -1 : 1;
}

/* ---- chunks of whole documents ---- */

/* Adds the lines of s->fresh, which came from `from`, to the waiting ones. */
static int collect(struct sh_source *s, const struct sh_origin *from, struct sh_error *err)
{
	struct sh_stretch *last = s->stretches ? &s->stretch[s->stretches - 1] : NULL;

	if (!last)
		s->first_waiting = from->number;
	if (last && s->waiting.p[s->waiting.n - 1] != '\n') {
		if (sh_buf_add(&s->waiting, "\n", 1, err) < 0)
			return -1;
		last->bytes++;
	}
	/* Lines of one file follow each other. */
	if (last && last->file == from->file && !from->starts_file) {
		last->bytes += s->fresh.n;
	} else {
		if (SH_RESERVE(s->stretch, s->stretch_cap, s->stretches + 1, err) < 0)
			return -1;
		s->stretch[s->stretches++] =
		    (struct sh_stretch){ from->file, from->line, from->at, s->fresh.n };
	}
	return sh_buf_add(&s->waiting, s->fresh.p, s->fresh.n, err);
}

/* Moves the first n waiting bytes to the chunk, and their stretches behind it. */
static int take(struct sh_source *source, size_t n, struct sh_buf *b, struct sh_origin *from,
    struct sh_error *err)
{
	const size_t align = _Alignof(struct sh_stretch);
	size_t room = source->stretches * sizeof *source->stretch;
	size_t at = (n + SH_PAD + align - 1) / align * align, end = 0, k = 0;
	struct sh_stretch *s;

	b->n = 0;
	if (sh_buf_reserve(b, at + room, err) < 0)
		return -1;
	memcpy(b->p, source->waiting.p, n);
	memset(b->p + n, 0, SH_PAD);
	b->n = n;
	s = (struct sh_stretch *)(void *)(b->p + at);
	memcpy(s, source->stretch, room);
	while (end < n)
		end += s[k++].bytes;
	*from = (struct sh_origin){
		.file = s->file,
		.line = s->line,
		.number = source->first_waiting,
		.lines = lines_of(b->p, n),
		.at = s->at,
		.blanks = source->blanks,
		.trailer = source->trailer,
		.stretch = s,
		.stretches = k,
		.cut = source->failure.code != SH_OK,
	};
	source->first_waiting += from->lines;
	source->waiting.n -= n;
	memmove(source->waiting.p, source->waiting.p + n, source->waiting.n);
	/* The last stretch may go on behind the chunk. */
	if (end > n) {
		size_t part = s[--k].bytes -= end - n;

		source->stretch[k].line += sh_count_newlines(b->p + n - part, part);
		source->stretch[k].at += part;
		source->stretch[k].bytes -= part;
	}
	source->stretches -= k;
	memmove(source->stretch, source->stretch + k, source->stretches * sizeof *s);
	return 1;
}

/* An error comes after the lines before it: they may have bad records. */
static int read_documents(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	size_t end = 0, one = 0;

	if (s->failure.code != SH_OK) {
		*err = s->failure;
		return -1;
	}
	while (end == 0) {
		int got = read_chunk(s, &s->fresh, from, err);

		if (got > 0) {
			if (collect(s, from, err) < 0)
				return -1;
			end = s->border(s->border_arg, s->waiting.p, s->waiting.n, one);
			one = s->waiting.n;
		} else if (s->waiting.n == 0) {
			return got;
		} else {
			if (got < 0)
				s->failure = *err;
			end = s->waiting.n;
		}
	}
	return take(s, end, b, from, err);
}

/* ---- */

int sh_source_read(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	return s->border ? read_documents(s, b, from, err) : read_chunk(s, b, from, err);
}

/* Passes over the record that was peeked at. */
static int pass(struct sh_source *s, struct sh_error *err)
{
	size_t n = s->first;

	if (n == 0)
		return 0;
	if (count(s, n, s->header.csv ? lines_of(sh_reader_ready(&s->reader).p, n) : 1, err) < 0)
		return -1;
	sh_reader_consume(&s->reader, n);
	return 0;
}

int sh_source_peek(struct sh_source *s, struct sh_slice *line, struct sh_error *err)
{
	int got;

	while ((got = look(s, err)) > 0) {
		*line = sh_record_front(sh_source_peeked(s), s->header.csv);
		s->first = line->n + (line->n < s->whole);
		if (!s->trailer || !sh_is_trailer(line->p, line->n))
			break;
		if (pass(s, err) < 0)
			return -1;
	}
	return got;
}

/* Returns whether a read from the operand would return at once. */
static bool input_ready(const struct sh_source *s)
{
	struct pollfd p = { .fd = s->reader.fd, .events = POLLIN };

	return !s->open || s->reader.eof || s->scanned < sh_reader_ready(&s->reader).n ||
	       poll(&p, 1, 0) != 0;
}

int sh_source_peek_more(struct sh_source *s, bool wait, struct sh_error *err)
{
	size_t whole = s->whole;
	int got = wait || input_ready(s);

	while (got > 0 && s->whole == whole)
		got = more(s, err);
	return got < 0 ? -1 : s->whole > whole;
}

void sh_source_pass(struct sh_source *s)
{
	struct sh_error none; /* only a malformed trailer is an error */

	(void)pass(s, &none);
}

bool sh_source_ready(const struct sh_source *s)
{
	return s->whole > s->first || input_ready(s);
}

int sh_source_all(const char *name, struct sh_buf *all, struct sh_error *err)
{
	char *const names[] = { (char *)(uintptr_t)name };
	struct sh_source s;
	int got;

	sh_source_init(&s, names, 1);
	while ((got = look(&s, err)) > 0) {
		struct sh_slice lines = sh_source_peeked(&s);

		if (sh_buf_add(all, lines.p, lines.n, err) < 0) {
			got = -1;
			break;
		}
		sh_reader_consume(&s.reader, lines.n);
		leave(&s, lines.n);
	}
	sh_source_free(&s);
	return got;
}

/* ---- one line after the other ---- */

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
		l->from.lines = lines_of(l->chunk.p, l->chunk.n);
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
