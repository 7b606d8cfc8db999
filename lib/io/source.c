#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "io/decompress.h"
#include "io/descriptor.h"

/* Of programs at both ends of a pipe, all that is under way stays in the second-level cache. */
enum { READ_SIZE = 64 * 1024 };

void sh_source_init(struct sh_source *s, char *const *names, size_t n_names)
{
	static char *const standard_input[] = { "-" };

	*s = (struct sh_source){
		.names = names,
		.n_names = n_names,
		.fd = -1,
		.call_off = -1,
		.number = 1,
		.newlines = sh_newlines_kernel_at(0),
	};
	if (n_names == 0) {
		s->names = standard_input;
		s->n_names = 1;
	}
}

static void close_operand(struct sh_source *s)
{
	if (s->fd > STDIN_FILENO && !s->fds)
		close(s->fd); /* was only read from: nothing can be lost */
	s->fd = -1;
	sh_decompress_free(&s->packed);
}

void sh_source_free(struct sh_source *s)
{
	close_operand(s);
	sh_buf_free(&s->tail);
	sh_buf_free(&s->peeked);
}

static int open_operand(struct sh_source *s, struct sh_error *err)
{
	s->name = s->names[s->next++];
	s->line = 1;
	s->begun = s->eof = s->tail_has_lines = s->looked = false;
	s->tail.n = 0;
	s->check = (struct sh_trailer_check){ 0 };
	if (s->fds) {
		s->fd = s->fds[s->next - 1];
	} else if (strcmp(s->name, "-") == 0) {
		s->fd = STDIN_FILENO;
	} else {
		/* Nobody can be called off who waits for the first writer of a FIFO in open(). */
		s->fd = open(s->name, O_RDONLY | O_CLOEXEC | (s->call_off >= 0 ? O_NONBLOCK : 0));
		if (s->fd < 0)
			return sh_cannot_open(s->name, err);
		posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	sh_enlarge_pipe(s->fd);
	return 0;
}

/* Wait for the open operand, unless the read is called off: 0 or -1. */
static int wait_or_leave(const struct sh_source *s, struct sh_error *err)
{
	struct pollfd p[] = { { .fd = s->fd, .events = POLLIN },
		{ .fd = s->call_off, .events = POLLIN } };

	while (poll(p, 2, -1) < 0)
		/* To read nevertheless would find the end of a FIFO that nobody has written to yet. */
		if (errno != EINTR)
			return sh_error_sys(err, "cannot wait for '%s'", s->name);
	/* What poll() cannot wait for, read() will tell. */
	return p[0].revents == 0 && p[1].revents != 0
		   ? sh_error_set(err, SH_ERR_IO, "reading '%s' was called off", s->name)
		   : 0;
}

/* One read of the open operand as it stands in its file: the number of bytes, 0 at the end, -1. */
static ssize_t read_file(void *source, void *p, size_t n, struct sh_error *err)
{
	const struct sh_source *s = source;

	for (;;) {
		ssize_t got;

		if (s->call_off >= 0 && wait_or_leave(s, err) < 0)
			return -1;
		got = read(s->fd, p, n);
		if (got >= 0)
			return got;
		if (errno == EAGAIN && (s->call_off >= 0 || sh_wait_for_input(s->fd)))
			continue;
		if (errno != EINTR)
			return sh_cannot_read(s->name, err);
	}
}

/* One read into b, which grows as needed. The number of bytes, 0 at the end, -1. */
static ssize_t read_more(struct sh_source *s, struct sh_buf *b, struct sh_error *err)
{
	ssize_t got;

	/* Geometric growth keeps the number of copies of a very long line logarithmic. */
	if (sh_buf_reserve(b, READ_SIZE + SH_PAD, err) < 0)
		return -1;
	if (s->packed.layers)
		got = sh_decompress_more(&s->packed, b->p + b->n, READ_SIZE, err);
	else
		got = read_file(s, b->p + b->n, READ_SIZE, err);
	if (got < 0) {
		/* The message of a decoder names no file. */
		if (err->code != SH_ERR_NOMEM && s->packed.layers)
			err->file = s->name;
		return -1;
	}
	b->n += (size_t)got;
	if (s->looked)
		return got;
	s->looked = true;
	if (sh_decompress_start(&s->packed, read_file, s, b, 0, err) < 0) {
		if (err->code != SH_ERR_NOMEM)
			err->file = s->name;
		return -1;
	}
	return (ssize_t)b->n;
}

/* Bytes of b up to and with the last LF, looking only at what came after `from`. */
static size_t whole_lines(const struct sh_buf *b, size_t from)
{
	const char *lf = memrchr(b->p + from, '\n', b->n - from);

	return lf ? (size_t)(lf - b->p) + 1 : 0;
}

static int refuse_long(
    const struct sh_source *s, const struct sh_buf *b, size_t before, struct sh_error *err)
{
	sh_error_set(err, SH_ERR_RECORD, "line longer than %zu bytes", SH_LINE_MAX);
	err->file = s->name;
	err->line = s->line + s->newlines->count(b->p, before);
	return -1;
}

/* Ends the block after `lines` bytes of whole lines; the bytes after them become the tail. */
static int cut_block(struct sh_source *s, struct sh_buf *b, size_t lines, struct sh_error *err)
{
	if (sh_buf_add(&s->tail, b->p + lines, b->n - lines, err) < 0)
		return -1;
	b->n = lines;
	return 0;
}

/* Whole lines of the open operand; b->n stays 0 when it has no more. */
static int read_lines(struct sh_source *s, struct sh_buf *b, struct sh_error *err)
{
	bool look = s->tail_has_lines;

	b->n = 0;
	if (sh_buf_add(b, s->tail.p, s->tail.n, err) < 0)
		return -1;
	s->tail.n = 0;
	s->tail_has_lines = false;
	for (; look || !s->eof; look = false) {
		size_t before = look ? 0 : b->n, whole;
		ssize_t got = look ? 1 : read_more(s, b, err);

		if (got < 0)
			return -1;
		if (got == 0) {
			s->eof = true;
			break;
		}
		whole = whole_lines(b, before);
		if (b->n - (whole) > SH_LINE_MAX)
			return refuse_long(s, b, whole, err);
		if (whole)
			return cut_block(s, b, whole, err);
	}
	return 0;
}

/* What stands behind a trailer in the block goes before the tail, to be read next. */
static int part_block(struct sh_source *s, struct sh_buf *b, size_t rest, struct sh_error *err)
{
	size_t n = b->n - rest;

	if (n == 0)
		return 0;
	if (sh_buf_reserve(&s->tail, n, err) < 0)
		return -1;
	if (s->tail.n)
		memmove(s->tail.p + n, s->tail.p, s->tail.n);
	memcpy(s->tail.p, b->p + rest, n);
	s->tail.n += n;
	s->tail_has_lines = true;
	return 0;
}

/* Sum the block's lines. Cut it before its first trailer, which is taken in; *skipped: its bytes,
 * and those of trailers before the block. */
static int take_trailers(
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
		if (sh_trailer_take(&s->check, line, err) < 0) {
			err->file = s->name;
			err->line = s->line + s->newlines->count(b->p, at);
			return -1;
		}
		if (at) {
			*skipped = n;
			if (part_block(s, b, at + n, err) < 0)
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

/* The open operand has no more. */
static int end_operand(struct sh_source *s, struct sh_error *err)
{
	if (s->trailer && sh_trailer_settle(&s->check, err) < 0) {
		err->file = s->name;
		return -1;
	}
	close_operand(s);
	return 0;
}

/* Drops the mark (U+FEFF) that some editors put at the beginning of a file: it would be part of the first id. */
static void look_at_head(struct sh_source *s, struct sh_buf *b)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t n = sizeof mark - 1;

	if (b->n >= n && memcmp(b->p, mark, n) == 0) {
		b->n -= n;
		memmove(b->p, b->p + n, b->n);
		s->at += n;
	}
}

static int read_block(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	size_t trailer = 0;

	for (;;) {
		if (s->fd < 0) {
			if (s->next == s->n_names)
				return 0;
			if (open_operand(s, err) < 0)
				return -1;
		}
		if (read_lines(s, b, err) < 0)
			return -1;
		if (s->line == 1)
			look_at_head(s, b);
		if (s->trailer && take_trailers(s, b, &trailer, err) < 0)
			return -1;
		if (b->n)
			break;
		if (s->eof && s->tail.n == 0 && end_operand(s, err) < 0)
			return -1;
	}
	from->file = s->name;
	from->line = s->line;
	from->number = s->number;
	from->at = s->at;
	from->starts_file = !s->begun;
	from->lines = s->newlines->count(b->p, b->n) + (b->p[b->n - 1] != '\n');
	s->line += from->lines + (trailer > 0);
	s->number += from->lines;
	s->at += b->n + trailer;
	s->begun = true;
	if (sh_buf_reserve(b, SH_PAD, err) < 0)
		return -1;
	memset(b->p + b->n, 0, SH_PAD);
	return 1;
}

int sh_source_read(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	struct sh_buf room = *b;

	if (s->peeked.n == s->passed)
		return read_block(s, b, from, err);
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

int sh_source_peek(struct sh_source *s, struct sh_slice *line, struct sh_error *err)
{
	const char *lf;

	if (s->peeked.n == s->passed) {
		int got = read_block(s, &s->peeked, &s->peeked_from, err);

		s->passed = 0;
		if (got <= 0) {
			s->peeked.n = 0;
			return got;
		}
	}
	*line = sh_slice(s->peeked.p + s->passed, s->peeked.n - s->passed);
	lf = memchr(line->p, '\n', line->n);
	if (lf)
		line->n = (size_t)(lf - line->p);
	return 1;
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
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	return s->peeked.n > s->passed || s->tail_has_lines || s->fd < 0 || s->eof ||
	       poll(&p, 1, 0) != 0;
}
