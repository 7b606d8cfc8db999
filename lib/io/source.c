/* SPDX-License-Identifier: MIT */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "io/csv.h"
#include "io/decompress.h"
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
	if (s->fd > STDIN_FILENO && !s->fds)
		close(s->fd); /* unchecked: nothing was written */
	s->fd = -1;
	s->open = false;
	s->begun_ahead = NULL;
	sh_decompress_free(&s->packed);
}

void sh_source_free(struct sh_source *s)
{
	close_operand(s);
	sh_ahead_delete(s->ahead);
	sh_buf_free(&s->tail);
	sh_buf_free(&s->peeked);
	sh_header_free(&s->header);
	sh_collected_free(&s->collected);
}

void sh_source_use_threads(struct sh_source *s, unsigned threads)
{
	if (threads > 1 && s->n_names - s->next > 1 && !s->fds && !s->ahead)
		s->ahead = sh_ahead_new(s->names, s->n_names, s->next, threads);
}

static int open_operand(struct sh_source *s, struct sh_error *err)
{
	s->name = s->names[s->next++];
	s->line = 1;
	s->begun = s->eof = s->tail_has_lines = s->looked = false;
	s->tail.n = 0;
	s->check = (struct sh_trailer_check){ 0 };
	s->codec = NULL;
	s->open = true;
	if (s->ahead)
		s->begun_ahead = sh_ahead_take(s->ahead, s->next - 1, &s->codec);
	if (s->begun_ahead) {
		s->looked = true;
		return 0;
	}
	if (s->fds) {
		s->fd = s->fds[s->next - 1];
	} else if (strcmp(s->name, "-") == 0) {
		s->fd = STDIN_FILENO;
	} else {
		/* A blocking open() of a FIFO waits for a writer and cannot be cancelled. */
		s->fd = open(s->name, O_RDONLY | O_CLOEXEC | (s->cancel >= 0 ? O_NONBLOCK : 0));
		if (s->fd < 0) {
			s->open = false;
			return sh_cannot_open(s->name, err);
		}
		posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	sh_enlarge_pipe(s->fd);
	return 0;
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

	for (;;) {
		ssize_t got;

		if (s->cancel >= 0 && wait_for_input(s, err) < 0)
			return -1;
		got = read(s->fd, p, n);
		if (got >= 0)
			return got;
		if (errno == EAGAIN && (s->cancel >= 0 || sh_wait_for_input(s->fd)))
			continue;
		if (errno != EINTR)
			return sh_cannot_read(s->name, err);
	}
}

/* Reads once, decompressed. Returns the number of bytes, 0 at the end, or -1. */
static ssize_t read_text(struct sh_source *s, char *p, size_t n, struct sh_error *err)
{
	struct sh_reader *r = s->begun_ahead;
	struct sh_slice ready;

	if (!r)
		return s->packed.layers ? sh_decompress_more(&s->packed, p, n, err)
					: read_file(s, p, n, err);
	if (sh_reader_need(r, 1, err) < 0) {
		err->file = NULL;
		return -1;
	}
	ready = sh_reader_ready(r);
	n = ready.n < n ? ready.n : n;
	memcpy(p, ready.p, n);
	sh_reader_consume(r, n);
	return (ssize_t)n;
}

/* Reads once to the end of b, decompressed. Sets s->eof when there was no more. Returns 0 or -1. */
static int read_more(struct sh_source *s, struct sh_buf *b, struct sh_error *err)
{
	ssize_t got;

	/* The buffer grows geometrically, so a very long line is copied only O(log n) times. */
	if (sh_buf_reserve(b, READ_SIZE + SH_PAD, err) < 0)
		return -1;
	got = read_text(s, b->p + b->n, READ_SIZE, err);
	if (got < 0) {
		/* The message of a decoder names no file. */
		if (err->code != SH_ERR_NOMEM && s->codec)
			err->file = s->name;
		return -1;
	}
	b->n += (size_t)got;
	s->eof = got == 0;
	if (s->looked)
		return 0;
	s->looked = true;
	if (sh_decompress_start(&s->packed, read_file, s, b, 0, err) < 0) {
		if (err->code != SH_ERR_NOMEM)
			err->file = s->name;
		return -1;
	}
	s->codec = s->packed.layers ? s->packed.layer[0].codec : NULL;
	s->eof = b->n == 0;
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

	return s->fd < 0 || s->eof || poll(&p, 1, 0) != 0;
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
	bool look = s->tail_has_lines, quoted = false;
	size_t scanned = 0;

	b->n = 0;
	if (sh_buf_add(b, s->tail.p, s->tail.n, err) < 0)
		return -1;
	s->tail.n = 0;
	s->tail_has_lines = false;
	for (; look || !s->eof; look = false) {
		size_t whole;

		if (!look && read_more(s, b, err) < 0)
			return -1;
		if (s->eof && !look)
			break;
		whole = whole_records(s, b, scanned, &quoted);
		scanned = b->n;
		if (b->n - whole > SH_LINE_MAX)
			return refuse_long(s, b, whole, err);
		if (whole && !(s->copies && b->n < READ_SIZE))
			return end_chunk(s, b, whole, err);
	}
	return 0;
}

/* Puts the bytes of the chunk from `from` on before the tail, to be read next. */
static int put_back(struct sh_source *s, struct sh_buf *b, size_t from, struct sh_error *err)
{
	size_t n = b->n - from;

	if (n == 0)
		return 0;
	if (sh_buf_reserve(&s->tail, n, err) < 0)
		return -1;
	if (s->tail.n)
		memmove(s->tail.p + n, s->tail.p, s->tail.n);
	memcpy(s->tail.p, b->p + from, n);
	s->tail.n += n;
	s->tail_has_lines = true;
	return 0;
}

/* Adds the lines of the chunk to the checksum. Removes trailers before the first line, and ends the
 * chunk before the next trailer. Sets *skipped to the bytes of this trailer, or 0. */
static int remove_trailers(
    struct sh_source *s, struct sh_buf *b, size_t *skipped, struct sh_error *err)
{
	*skipped = 0;
	while (b->n) {
		size_t at = sh_sum_lines(&s->check.found, b->p, b->n, s->crlf), n;
		const char *lf;
		struct sh_slice line;

		if (at == b->n)
			return 0;
		lf = memchr(b->p + at, '\n', b->n - at);
		n = lf ? (size_t)(lf - b->p) + 1 - at : b->n - at;
		line = sh_slice(b->p + at, n - (lf != NULL));
		if (s->crlf)
			line = sh_without_cr(line);
		if (sh_trailer_add(&s->check, line, err) < 0) {
			err->file = s->name;
			err->line = s->line + sh_count_newlines(b->p, at);
			return -1;
		}
		if (at) {
			*skipped = n;
			if (put_back(s, b, at + n, err) < 0)
				return -1;
			b->n = at;
			return 0;
		}
		s->line++;
		s->at += n;
		b->n -= n;
		memmove(b->p, b->p + n, b->n);
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
 * Sets *trailer to the bytes of the trailer behind the lines, or 0. */
static int read_records(
    struct sh_source *s, struct sh_buf *b, size_t *trailer, struct sh_error *err)
{
	*trailer = 0;
	if (s->failed) {
		*err = s->failure;
		return -1;
	}
	if (read_lines(s, b, err) < 0)
		return -1;
	if (s->header.wanted && s->line == 1 && b->n && check_header(s, b, err) < 0)
		return -1;
	drop_byte_order_mark(s, b);
	if (s->trailer && remove_trailers(s, b, trailer, err) < 0)
		return -1;
	return 0;
}

/* Counts the lines of a chunk, returns their number, and moves the source behind the trailer. */
static uint64_t count_chunk(struct sh_source *s, const struct sh_buf *b, size_t trailer)
{
	uint64_t lines = sh_count_newlines(b->p, b->n) + (b->p[b->n - 1] != '\n');

	s->line += lines + (trailer > 0);
	s->number += lines;
	s->at += b->n + trailer;
	s->begun = true;
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
	size_t trailer;

	for (;;) {
		if (!s->open) {
			if (s->next == s->n_names)
				return 0;
			if (open_operand(s, err) < 0)
				return -1;
		}
		if (read_records(s, b, &trailer, err) < 0)
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
	from->stretch = NULL;
	from->stretches = 0;
	from->cut = false;
	from->lines = count_chunk(s, b, trailer);
	return pad(b, err) < 0 ? -1 : 1;
}

int sh_source_read_lines(
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

int sh_source_read(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	return s->border ? sh_source_read_documents(s, b, from, err)
			 : sh_source_read_lines(s, b, from, err);
}

int sh_source_peek(struct sh_source *s, struct sh_slice *line, struct sh_error *err)
{
	const char *lf;

	if (s->peeked.n == s->passed) {
		int got = read_chunk(s, &s->peeked, &s->peeked_from, err);

		s->passed = 0;
		if (got <= 0) {
			s->peeked.n = 0;
			return got;
		}
	}
	*line = sh_source_peeked(s);
	lf = memchr(line->p, '\n', line->n);
	if (lf)
		line->n = (size_t)(lf - line->p);
	return 1;
}

static bool ready(const struct sh_source *s)
{
	return s->tail_has_lines || input_ready(s);
}

int sh_source_peek_more(struct sh_source *s, bool wait, struct sh_error *err)
{
	struct sh_buf more = { 0 };
	size_t trailer;
	/* A trailer between the two chunks would make one chunk's line numbers wrong. */
	bool next = s->line == s->peeked_from.line + s->peeked_from.lines && (wait || ready(s));
	int status = 0;

	while (next && status == 0 && more.n == 0 && s->open && !(s->eof && s->tail.n == 0))
		status = read_records(s, &more, &trailer, err);
	if (status == 0 && more.n) {
		s->peeked_from.lines += count_chunk(s, &more, trailer);
		status = sh_buf_add(&s->peeked, more.p, more.n, err);
		if (status == 0)
			status = pad(&s->peeked, err) < 0 ? -1 : 1;
	}
	sh_buf_free(&more);
	return status;
}

void sh_source_pass(struct sh_source *s)
{
	const char *p = s->peeked.p + s->passed, *lf = memchr(p, '\n', s->peeked.n - s->passed);
	size_t n = lf ? (size_t)(lf - p) + 1 : s->peeked.n - s->passed;
	struct sh_origin *from = &s->peeked_from;

	s->passed += n;
	from->at += n;
	from->line++;
	from->number++;
	from->lines--;
	from->starts_file = false;
}

bool sh_source_ready(const struct sh_source *s)
{
	return s->peeked.n > s->passed || ready(s);
}
