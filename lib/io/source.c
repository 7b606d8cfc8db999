#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum {
	READ_SIZE = 256 * 1024, /* one read: stays in the second-level cache */
	PIPE_SIZE = 1024 * 1024,
};

void sh_enlarge_pipe(int fd)
{
#ifdef F_SETPIPE_SZ
	/* Not a pipe, or above the system's limit: the default size works as well. */
	(void)fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
#else
	(void)fd;
#endif
}

void sh_source_init(struct sh_source *s, char *const *names, size_t n_names)
{
	static char *const standard_input[] = { "-" };

	*s = (struct sh_source){ .names = names, .n_names = n_names, .fd = -1, .number = 1 };
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
	s->eof = false;
	s->tail.n = 0;
	if (s->fds) {
		s->fd = s->fds[s->next - 1];
	} else if (strcmp(s->name, "-") == 0) {
		s->fd = STDIN_FILENO;
	} else {
		s->fd = open(s->name, O_RDONLY | O_CLOEXEC);
		if (s->fd < 0)
			return sh_error_sys(err, "cannot open '%s'", s->name);
		posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	sh_enlarge_pipe(s->fd);
	return 0;
}

static uint64_t count_lines(const char *p, size_t n)
{
	uint64_t lines = 0;

	/* Short inner runs let the compiler count in bytes. */
	while (n) {
		size_t run = n < 255 ? n : 255;
		unsigned char c = 0;

		for (size_t i = 0; i < run; i++)
			c = (unsigned char)(c + (p[i] == '\n'));
		lines += c;
		p += run;
		n -= run;
	}
	return lines;
}

/* Somebody left the descriptor non-blocking: wait as if it were not. */
static int wait_for_input(const struct sh_source *s, struct sh_error *err)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	if (poll(&p, 1, -1) < 0 && errno != EINTR)
		return sh_error_sys(err, "cannot wait for '%s'", s->name);
	return 0;
}

/* One read into b, which grows as needed. The number of bytes, 0 at the end, -1. */
static ssize_t read_more(struct sh_source *s, struct sh_buf *b, struct sh_error *err)
{
	/* Geometric growth keeps the number of copies of a very long line logarithmic. */
	if (sh_buf_reserve(b, READ_SIZE + SH_PAD, err) < 0)
		return -1;
	for (;;) {
		ssize_t got = read(s->fd, b->p + b->n, READ_SIZE);

		if (got >= 0) {
			b->n += (size_t)got;
			return got;
		}
		if (errno == EAGAIN && wait_for_input(s, err) < 0)
			return -1;
		if (errno != EINTR && errno != EAGAIN)
			return sh_error_sys(err, "cannot read '%s'", s->name);
	}
}

/* Bytes of b up to and with the last LF, looking only at what came after `from`. */
static size_t whole_lines(const struct sh_buf *b, size_t from)
{
	const char *lf = memrchr(b->p + from, '\n', b->n - from);

	return lf ? (size_t)(lf - b->p) + 1 : 0;
}

/* Whole lines of the open operand; b->n stays 0 when it has no more. */
static int read_lines(struct sh_source *s, struct sh_buf *b, struct sh_error *err)
{
	b->n = 0;
	if (sh_buf_add(b, s->tail.p, s->tail.n, err) < 0)
		return -1;
	s->tail.n = 0;
	while (!s->eof) {
		size_t before = b->n, whole;
		ssize_t got = read_more(s, b, err);

		if (got < 0)
			return -1;
		if (got == 0) {
			s->eof = true;
			break;
		}
		whole = whole_lines(b, before);
		if (b->n - whole > SH_LINE_MAX) {
			sh_error_set(err, SH_ERR_RECORD, "line longer than %zu bytes", SH_LINE_MAX);
			err->file = s->name;
			err->line = s->line + count_lines(b->p, whole);
			return -1;
		}
		if (whole) {
			if (sh_buf_add(&s->tail, b->p + whole, b->n - whole, err) < 0)
				return -1;
			b->n = whole;
			break;
		}
	}
	return 0;
}

static int read_block(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	for (;;) {
		if (s->fd < 0) {
			if (s->next == s->n_names)
				return 0;
			if (open_operand(s, err) < 0)
				return -1;
		}
		if (read_lines(s, b, err) < 0)
			return -1;
		if (b->n)
			break;
		close_operand(s);
	}
	from->file = s->name;
	from->line = s->line;
	from->number = s->number;
	from->starts_file = s->line == 1;
	from->lines = count_lines(b->p, b->n) + (b->p[b->n - 1] != '\n');
	s->line += from->lines;
	s->number += from->lines;
	return sh_buf_reserve(b, SH_PAD, err) < 0 ? -1 : 1;
}

int sh_source_read(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err)
{
	struct sh_buf room = *b;

	if (s->peeked.n == 0)
		return read_block(s, b, from, err);
	*b = s->peeked;
	*from = s->peeked_from;
	s->peeked = room;
	s->peeked.n = 0;
	return 1;
}

int sh_source_peek(struct sh_source *s, struct sh_slice *line, struct sh_error *err)
{
	const char *lf;

	if (s->peeked.n == 0) {
		int got = read_block(s, &s->peeked, &s->peeked_from, err);

		if (got <= 0) {
			s->peeked.n = 0;
			return got;
		}
	}
	lf = memchr(s->peeked.p, '\n', s->peeked.n);
	*line = sh_slice(s->peeked.p, lf ? (size_t)(lf - s->peeked.p) : s->peeked.n);
	return 1;
}

bool sh_source_ready(const struct sh_source *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	return s->peeked.n || s->fd < 0 || s->eof || poll(&p, 1, 0) != 0;
}
