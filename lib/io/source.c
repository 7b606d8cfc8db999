/* SPDX-License-Identifier: MIT */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "io/newlines.h"

/* Small enough that data in flight between two programs stays in the second-level cache. */
enum { READ_SIZE = 64 * 1024 };

void sh_source_init(struct sh_source *s, char *const *names, size_t n_names)
{
	static char *const standard_input[] = { "-" };

	*s = (struct sh_source){
		.names = names,
		.n_names = n_names,
		.fd = -1,
		.cancel = -1,
		.number = 1,
	};
	if (n_names == 0) {
		s->names = standard_input;
		s->n_names = 1;
	}
}

static void close_operand(struct sh_source *s)
{
	if (s->reader == &s->own) {
		sh_reader_close(&s->own);
		if (s->fd > STDIN_FILENO)
			close(s->fd); /* unchecked: nothing was written */
	}
	s->fd = -1;
	s->reader = NULL;
}

void sh_source_free(struct sh_source *s)
{
	close_operand(s);
	sh_ahead_delete(s->ahead);
	sh_buf_free(&s->tail);
	sh_buf_free(&s->peeked);
	sh_header_free(&s->header);
	sh_buf_free(&s->collected.lines);
	sh_buf_free(&s->collected.read);
	free(s->collected.stretch);
}

void sh_source_use_threads(struct sh_source *s, unsigned threads)
{
	if (threads > 1 && s->n_names - s->next > 1 && !s->ahead)
		s->ahead = sh_ahead_new(s->names, s->n_names, s->next, threads);
}

/* Waits until the open operand can be read. Returns 0, or -1 when the read was cancelled. */
static int wait_for_input(const struct sh_source *s, struct sh_error *err)
{
	struct pollfd p[] = { { .fd = s->fd, .events = POLLIN },
		{ .fd = s->cancel, .events = POLLIN } };

	while (poll(p, 2, -1) < 0)
		/* No read after a failure: a FIFO without a writer would seem to be empty. */
		if (errno != EINTR)
			return sh_error_sys(err, "cannot wait for '%s'", s->name);
	/* An error of the descriptor is reported by the read() that follows. */
	return p[0].revents == 0 && p[1].revents != 0
		   ? sh_error_set(err, SH_ERR_IO, "reading '%s' was cancelled", s->name)
		   : 0;
}

/* Reads once, without decompression. Returns the number of bytes, 0 at the end, or -1. */
static ssize_t read_file(void *source, void *p, size_t n, struct sh_error *err)
{
	struct sh_source *s = source;
	ssize_t got;

	s->raw_failed = true;
	do {
		if (s->cancel >= 0 && wait_for_input(s, err) < 0)
			return -1;
		got = read(s->fd, p, n);
	} while (got < 0 && (errno == EINTR ||
				(errno == EAGAIN && (s->cancel >= 0 || sh_wait_for_input(s->fd)))));
	s->raw_failed = got < 0;
	return got < 0 ? sh_cannot_read(s->name, err) : got;
}

/* The reader blames its file. Messages of read_file() have the name already, and the file is not
 * the cause when memory is short. Returns -1. */
static int blame(const struct sh_source *s, struct sh_error *err)
{
	if (s->raw_failed || err->code == SH_ERR_NOMEM)
		err->file = NULL;
	return -1;
}

/* Opens the next operand, and reads its first bytes. */
static int open_operand(struct sh_source *s, struct sh_error *err)
{
	s->name = s->names[s->next++];
	s->line = 1;
	s->begun = s->eof = false;
	s->tail.n = 0;
	s->check = (struct sh_trailer_check){ 0 };
	if (s->ahead)
		s->reader = sh_ahead_take(s->ahead, s->next - 1);
	if (!s->reader) {
		/* A blocking open() of a FIFO waits for a writer and cannot be cancelled. */
		s->fd =
		    strcmp(s->name, "-") == 0
			? STDIN_FILENO
			: open(s->name, O_RDONLY | O_CLOEXEC | (s->cancel >= 0 ? O_NONBLOCK : 0));
		if (s->fd < 0)
			return sh_cannot_open(s->name, err);
		posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
		sh_enlarge_pipe(s->fd);
		s->reader = &s->own;
		if (sh_reader_open_stream(&s->own, read_file, s, s->name, err) < 0)
			return blame(s, err);
	}
	s->codec = s->reader->codec;
	return 0;
}

/* Reads once to the end of b, decompressed. Sets s->eof when there was no more. Returns 0 or -1. */
static int read_more(struct sh_source *s, struct sh_buf *b, struct sh_error *err)
{
	ssize_t got;

	/* The buffer grows geometrically, so a very long line is copied only O(log n) times. */
	if (sh_buf_reserve(b, READ_SIZE + SH_PAD, err) < 0)
		return -1;
	got = sh_reader_read(s->reader, b->p + b->n, READ_SIZE, err);
	if (got < 0)
		return blame(s, err);
	b->n += (size_t)got;
	s->eof = got == 0;
	return 0;
}

/* Returns the number of bytes of b up to and including the last LF. Searches from `from` on;
 * returns 0 when no LF is there. */
static size_t whole_lines(const struct sh_buf *b, size_t from)
{
	const char *lf = memrchr(b->p + from, '\n', b->n - from);

	return lf ? (size_t)(lf - b->p) + 1 : 0;
}

int sh_line_too_long(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD, "line longer than %zu bytes", SH_LINE_MAX);
}

/* Fills *err for a line that is too long. before: bytes of b before that line. Returns -1. */
static int refuse_long(
    const struct sh_source *s, const struct sh_buf *b, size_t before, struct sh_error *err)
{
	sh_line_too_long(err);
	err->file = s->name;
	err->line = s->line + sh_count_newlines(b->p, before);
	return -1;
}

/* Returns whether a read from the operand would return at once. */
static bool input_ready(const struct sh_source *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	return s->fd < 0 || s->eof || sh_reader_ready(s->reader).n > 0 || poll(&p, 1, 0) != 0;
}

/* Ends the chunk after `lines` bytes, which are whole lines. Moves the bytes behind to the tail. */
static int end_chunk(struct sh_source *s, struct sh_buf *b, size_t lines, struct sh_error *err)
{
	if (sh_buf_add(&s->tail, b->p + lines, b->n - lines, err) < 0)
		return -1;
	b->n = lines;
	return 0;
}

/* Returns the length of the byte order mark (U+FEFF) at the beginning of the operand, or 0. */
static size_t byte_order_mark(const struct sh_source *s, const struct sh_buf *b)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t n = sizeof mark - 1;

	return s->line == 1 && !s->header.wanted && !s->copies && b->n >= n &&
		       memcmp(b->p, mark, n) == 0
		   ? n
		   : 0;
}

/* Returns the bytes of whole lines of b; 0 when there are none behind the first `scanned` bytes. */
static size_t whole_records(
    const struct sh_source *s, const struct sh_buf *b, size_t scanned, bool *quoted)
{
	size_t whole;

	if (!s->header.csv)
		return whole_lines(b, scanned);
	whole = sh_csv_whole(b->p + scanned, b->n - scanned, quoted);
	return whole ? whole + scanned : 0;
}

/* Reads whole lines of the open operand. Sets b->n to 0 when the operand has no more. */
static int read_lines(struct sh_source *s, struct sh_buf *b, struct sh_error *err)
{
	bool quoted = false;
	size_t scanned = 0;

	b->n = 0;
	if (sh_buf_add(b, s->tail.p, s->tail.n, err) < 0)
		return -1;
	s->tail.n = 0;
	while (!s->eof) {
		size_t whole;

		if (read_more(s, b, err) < 0)
			return -1;
		if (s->eof)
			break;
		whole = whole_records(s, b, scanned, &quoted);
		scanned = b->n;
		if (b->n - whole > SH_LINE_MAX)
			return refuse_long(s, b, whole, err);
		if (whole)
			return end_chunk(s, b, whole, err);
	}
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

/* Drops the byte order mark of a file, which would become a part of the first id. */
static void drop_byte_order_mark(struct sh_source *s, struct sh_buf *b)
{
	size_t n = byte_order_mark(s, b);

	if (n) {
		b->n -= n;
		memmove(b->p, b->p + n, b->n);
		s->at += n;
	}
}

/* Moves the header of a file out of its first chunk. */
static int check_header(struct sh_source *s, struct sh_buf *b, struct sh_error *err)
{
	size_t n;

	if (sh_header_check(&s->header, sh_buf_slice(b), s->name, &n, err) < 0)
		return -1;
	s->at += n;
	s->line += sh_count_newlines(b->p, n);
	b->n -= n;
	memmove(b->p, b->p + n, b->n);
	return 0;
}

/* Reads the next lines of the open operand. b->n is 0 when no line is complete yet, or at the end.
 * Sets *trailers to the number of trailers among the lines. */
static int read_records(
    struct sh_source *s, struct sh_buf *b, uint64_t *trailers, struct sh_error *err)
{
	*trailers = 0;
	if (read_lines(s, b, err) < 0)
		return -1;
	if (s->header.wanted && s->line == 1 && b->n && check_header(s, b, err) < 0)
		return -1;
	drop_byte_order_mark(s, b);
	if (s->trailer &&
	    sh_trailer_add_lines(&s->check, sh_buf_slice(b), s->crlf, trailers, err) < 0) {
		err->file = s->name;
		err->line += s->line - 1;
		return -1;
	}
	return 0;
}

/* Counts the lines of a chunk, returns their number, and moves the source behind them. */
static uint64_t count_chunk(struct sh_source *s, const struct sh_buf *b, uint64_t trailers)
{
	uint64_t lines = sh_count_newlines(b->p, b->n) + (b->p[b->n - 1] != '\n');

	s->line += lines;
	s->number += lines - trailers;
	s->at += b->n;
	s->begun = s->begun || lines > trailers;
	return lines;
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
	uint64_t trailers;

	for (;;) {
		if (!s->reader) {
			if (s->next == s->n_names)
				return 0;
			if (open_operand(s, err) < 0)
				return -1;
		}
		if (read_records(s, b, &trailers, err) < 0)
			return -1;
		if (b->n)
			break;
		if (s->eof && s->tail.n == 0 && end_operand(s, err) < 0)
			return -1;
	}
	from->file = s->name;
	from->operand = s->next - 1;
	from->codec = s->codec;
	from->line = s->line;
	from->number = s->number;
	from->at = s->at;
	from->starts_file = !s->begun;
	from->csv = s->header.csv;
	from->blanks = s->blanks;
	from->header = s->header.wanted;
	from->trailer = s->trailer;
	from->stretch = NULL;
	from->stretches = 0;
	from->cut = false;
	from->lines = count_chunk(s, b, trailers);
	return pad(b, err) < 0 ? -1 : 1;
}

/* Reads the next chunk of lines, which may have been peeked at. */
static int read_peeked(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	struct sh_buf room = *b;

	if (s->peeked.n == s->passed)
		return read_chunk(s, b, from, err);
	*b = s->peeked;
	*from = s->peeked_from;
	if (s->passed) {
		b->n -= s->passed;
		memmove(b->p, b->p + s->passed, b->n + SH_PAD);
		s->passed = 0;
	}
	s->peeked = room;
	s->peeked.n = 0;
	return 1;
}

/* ---- chunks of whole documents ---- */

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

static int read_documents(
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
	while (end == 0 && (got = read_peeked(s, &c->read, &origin, err)) > 0) {
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

/* ---- */

int sh_source_read(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	return s->border ? read_documents(s, b, from, err) : read_peeked(s, b, from, err);
}

/* Skips the first line that was peeked at. */
static void pass(struct sh_source *s)
{
	struct sh_slice rest = sh_source_peeked(s), line = sh_record_front(rest, false);
	size_t n = line.n + (line.n < rest.n);

	s->passed += n;
	s->peeked_from.at += n;
	s->peeked_from.line++;
	s->peeked_from.lines--;
}

int sh_source_peek(struct sh_source *s, struct sh_slice *line, struct sh_error *err)
{
	for (;; pass(s)) {
		if (s->peeked.n == s->passed) {
			int got = read_chunk(s, &s->peeked, &s->peeked_from, err);

			s->passed = 0;
			if (got <= 0) {
				s->peeked.n = 0;
				return got;
			}
		}
		*line = sh_record_front(sh_source_peeked(s), false);
		if (!s->trailer || !sh_is_trailer(line->p, line->n))
			return 1;
	}
}

int sh_source_peek_more(struct sh_source *s, bool wait, struct sh_error *err)
{
	struct sh_buf more = { 0 };
	uint64_t trailers;
	bool next = wait || input_ready(s);
	int status = 0;

	while (next && status == 0 && more.n == 0 && s->reader && !(s->eof && s->tail.n == 0))
		status = read_records(s, &more, &trailers, err);
	if (status == 0 && more.n) {
		s->peeked_from.lines += count_chunk(s, &more, trailers);
		status = sh_buf_add(&s->peeked, more.p, more.n, err);
		if (status == 0)
			status = pad(&s->peeked, err) < 0 ? -1 : 1;
	}
	sh_buf_free(&more);
	return status;
}

void sh_source_pass(struct sh_source *s)
{
	pass(s);
	s->peeked_from.number++;
	s->peeked_from.starts_file = false;
}

bool sh_source_ready(const struct sh_source *s)
{
	return s->peeked.n > s->passed || input_ready(s);
}

int sh_source_all(const char *name, struct sh_buf *all, struct sh_error *err)
{
	char *const names[] = { (char *)(uintptr_t)name };
	struct sh_source source;
	struct sh_buf block = { 0 };
	struct sh_origin from;
	int got;

	sh_source_init(&source, names, 1);
	while ((got = sh_source_read(&source, &block, &from, err)) > 0)
		if (sh_buf_add(all, block.p, block.n, err) < 0) {
			got = -1;
			break;
		}
	sh_source_free(&source);
	sh_buf_free(&block);
	return got;
}
