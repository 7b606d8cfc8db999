#include "io/reader.h"

#include <fcntl.h>
#include <unistd.h>

#include "io/descriptor.h"

enum { READ_SIZE = 256 * 1024 };

static int current(const struct sh_reader *r)
{
	return r->fd[r->layers];
}

/* Nobody wants the rest. */
static void stop(struct sh_reader *r)
{
	struct sh_error ignored;

	for (size_t i = r->layers; i > 0; i--) {
		close(r->fd[i]);
		sh_decompress_end(&r->decompress[i - 1], false, &ignored);
	}
	if (r->fd[0] > STDIN_FILENO)
		close(r->fd[0]);
	r->layers = 0;
	r->fd[0] = -1;
}

static int fail(struct sh_reader *r, struct sh_error *err)
{
	err->file = r->name;
	r->failed = *err;
	return -1;
}

int sh_reader_check(const struct sh_reader *r, struct sh_error *err)
{
	if (r->failed.code == SH_OK)
		return 0;
	*err = r->failed;
	return -1;
}

/* The end: each decompressor must have ended well. */
static int finish(struct sh_reader *r, struct sh_error *err)
{
	int bad = 0;

	r->eof = true;
	for (; r->layers > 0 && bad == 0; r->layers--) {
		close(r->fd[r->layers]);
		bad = sh_decompress_end(&r->decompress[r->layers - 1], true, err);
	}
	stop(r);
	return bad < 0 ? fail(r, err) : 0;
}

/* One read to the end of the buffer: 1, 0 at the end of the input, -1. */
static int fill(struct sh_reader *r, struct sh_error *err)
{
	ssize_t got;

	if (sh_reader_check(r, err) < 0)
		return -1;
	if (r->eof)
		return 0;
	/* What was taken makes room when that is cheap, so that a byte moves once. */
	if (r->at >= r->buf.n - r->at) {
		if (r->at < r->buf.n)
			memmove(r->buf.p, r->buf.p + r->at, r->buf.n - r->at);
		r->buf.n -= r->at;
		r->at = 0;
	}
	if (sh_buf_reserve(&r->buf, READ_SIZE + SH_PAD, err) < 0)
		return -1;
	got = sh_read_some(current(r), r->buf.p + r->buf.n, READ_SIZE);
	if (got < 0) {
		sh_error_sys(err, "cannot read it");
		return fail(r, err);
	}
	if (got == 0)
		return finish(r, err);
	r->buf.n += (size_t)got;
	return 1;
}

int sh_reader_need(struct sh_reader *r, size_t n, struct sh_error *err)
{
	int got = 1;

	while (r->buf.n - r->at < n && got > 0)
		got = fill(r, err);
	return got < 0 ? -1 : 0;
}

int sh_reader_look(struct sh_reader *r, size_t n, struct sh_error *err)
{
	if (sh_reader_need(r, n, err) < 0 && sh_reader_check(r, err) == 0)
		return -1;
	return 0;
}

/* As long as it begins as compressed files do, put a decompressor behind it. */
static int decompress(struct sh_reader *r, struct sh_error *err)
{
	const char *program;

	for (;;) {
		if (sh_reader_need(r, SH_COMPRESSED_MAGIC, err) < 0)
			return -1;
		program = sh_decompressor(sh_reader_ready(r));
		if (!program)
			return 0;
		if (r->layers == SH_READER_LAYERS)
			return sh_error_set(
			    err, SH_ERR_RECORD, "compressed more than %d times", SH_READER_LAYERS);
		/* A short file is at its end already, and must be read again. */
		if (r->eof)
			return sh_error_set(err, SH_ERR_IO,
			    "compressed by %s, and cut short: it ends after %zu bytes", program,
			    sh_reader_ready(r).n);
		r->fd[r->layers + 1] = sh_decompress_start(
		    &r->decompress[r->layers], program, current(r), sh_reader_ready(r), err);
		if (r->fd[r->layers + 1] < 0)
			return -1;
		r->layers++;
		r->at = r->buf.n = 0;
		sh_enlarge_pipe(current(r));
	}
}

int sh_reader_open(struct sh_reader *r, const char *name, struct sh_error *err)
{
	*r = (struct sh_reader){ .name = name, .line = 1 };
	r->fd[0] = STDIN_FILENO;
	if (strcmp(name, "-") != 0) {
		r->fd[0] = open(name, O_RDONLY | O_CLOEXEC);
		if (r->fd[0] < 0) {
			*r = (struct sh_reader){ 0 };
			sh_error_sys(err, "cannot open it");
			err->file = name;
			return -1;
		}
		posix_fadvise(r->fd[0], 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	sh_enlarge_pipe(r->fd[0]);
	if (decompress(r, err) < 0) {
		sh_reader_close(r);
		err->file = name;
		return -1;
	}
	return 0;
}

int sh_reader_memory(struct sh_reader *r, struct sh_slice bytes, struct sh_error *err)
{
	*r = (struct sh_reader){ .name = "memory", .line = 1, .eof = true };
	r->fd[0] = -1;
	if (sh_buf_add(&r->buf, bytes.p, bytes.n, err) < 0)
		return -1;
	return sh_buf_reserve(&r->buf, SH_PAD, err);
}

void sh_reader_close(struct sh_reader *r)
{
	if (!r->eof && r->name)
		stop(r);
	sh_buf_free(&r->buf);
	*r = (struct sh_reader){ 0 };
}

int sh_reader_line(
    struct sh_reader *r, size_t from, size_t max, struct sh_slice *line, struct sh_error *err)
{
	size_t seen = 0;

	for (;;) {
		struct sh_slice ready = sh_reader_ready(r);
		size_t n = ready.n > from ? ready.n - from : 0;
		const char *lf = n > seen ? memchr(ready.p + from + seen, '\n', n - seen) : NULL;
		int got;

		*line = sh_slice(ready.p + from, lf ? (size_t)(lf - ready.p) - from + 1 : n);
		if (line->n > max)
			line->n = max;
		if (lf || line->n == max)
			return 1;
		seen = n;
		got = fill(r, err);
		if (got < 0)
			return -1;
		if (got == 0) {
			/* Looking for more may have moved what there is. */
			line->p = sh_reader_ready(r).p + from;
			return line->n > 0;
		}
	}
}

int sh_reader_skip(struct sh_reader *r, uint64_t n, uint64_t *skipped, struct sh_error *err)
{
	int got = 1;

	*skipped = 0;
	while (*skipped < n && got > 0) {
		size_t ready = r->buf.n - r->at;

		if (ready > n - *skipped)
			ready = (size_t)(n - *skipped);
		sh_reader_take(r, ready);
		*skipped += ready;
		if (*skipped < n)
			got = fill(r, err);
	}
	return got < 0 ? -1 : 0;
}
