/* SPDX-License-Identifier: MIT */
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/descriptor.h"

/* Bytes of a read. Data in flight between two programs stay in the second-level cache. A step of a
 * decoder costs more, and makes many bytes. */
enum { READ_SIZE = 64 * 1024, UNPACK_SIZE = 256 * 1024 };

enum { STEP = 64 * 1024 }; /* bytes of a read for a decoder */

/* Closes the file. */
static void stop(struct sh_reader *r)
{
	while (r->layers) {
		struct sh_reader_layer *d = &r->layer[--r->layers];

		sh_coder_delete(&d->codec->decode, d->decoder);
		sh_buf_free(&d->in);
	}
	if (r->fd > STDIN_FILENO)
		close(r->fd);
	r->fd = -1;
}

/* The message of read_file() has the name already, and the file is not the cause when memory is
 * short. Returns -1. */
static int fail(struct sh_reader *r, struct sh_error *err)
{
	err->file = r->file_failed || err->code == SH_ERR_NOMEM ? NULL : r->name;
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

/* Waits until the file can be read. Returns 0, or -1 when the read was cancelled. */
static int wait_for_input(const struct sh_reader *r, struct sh_error *err)
{
	struct pollfd p[] = { { .fd = r->fd, .events = POLLIN },
		{ .fd = r->cancel, .events = POLLIN } };

	while (poll(p, 2, -1) < 0)
		/* No read after a failure: a FIFO without a writer would seem to be empty. */
		if (errno != EINTR)
			return sh_error_sys(err, "cannot wait for '%s'", r->name);
	/* An error of the descriptor is reported by the read() that follows. */
	return p[0].revents == 0 && p[1].revents != 0
		   ? sh_error_set(err, SH_ERR_IO, "reading '%s' was cancelled", r->name)
		   : 0;
}

/* Reads once, without decompression. */
static ssize_t read_file(void *reader, void *p, size_t n, struct sh_error *err)
{
	struct sh_reader *r = reader;
	ssize_t got = r->cancel < 0 ? sh_read_some(r->fd, p, n) : -1;

	r->file_failed = true;
	while (r->cancel >= 0) {
		if (wait_for_input(r, err) < 0)
			return -1;
		got = read(r->fd, p, n);
		if (got >= 0 || (errno != EINTR && errno != EAGAIN))
			break;
	}
	r->file_failed = got < 0;
	return got < 0 ? sh_cannot_read(r->name, err) : got;
}

/* ---- decompression ---- */

static ssize_t read_layer(
    struct sh_reader *r, unsigned layers, char *p, size_t n, struct sh_error *err);

/* Reads more compressed bytes behind the bytes that are not decoded. Sets d->eof at the end. */
static int refill(struct sh_reader *r, struct sh_reader_layer *d, struct sh_error *err)
{
	ssize_t got;

	d->in.n -= d->at;
	if (d->in.n)
		memmove(d->in.p, d->in.p + d->at, d->in.n);
	d->at = d->frame = 0;
	if (sh_buf_reserve(&d->in, STEP, err) < 0)
		return -1;
	got = read_layer(r, (unsigned)(d - r->layer), d->in.p + d->in.n, STEP, err);
	if (got < 0)
		return -1;
	d->in.n += (size_t)got;
	d->bytes += (uint64_t)got;
	d->eof = got == 0;
	return 0;
}

/* Returns n after a step of the decoder that made n bytes; or -1 when the step failed. */
static ssize_t report(
    struct sh_reader_layer *d, enum sh_codec_state state, ssize_t n, struct sh_error *err)
{
	switch (state) {
	case SH_CODEC_MORE:
	case SH_CODEC_END:
		d->within = state == SH_CODEC_MORE;
		d->complete = d->complete || !d->within;
		return n;
	case SH_CODEC_WIDE:
		return sh_error_set(err, SH_ERR_IO,
		    "the %s data need a window of more than %zu MiB (%s reads "
		    "them, " SH_CODEC_WINDOW_NAME "=2G raises the limit)",
		    d->codec->name, sh_codec_window() >> 20, d->codec->command);
	case SH_CODEC_NOMEM:
		return sh_error_nomem(err);
	case SH_CODEC_BAD:
		break;
	}
	d->damaged = true;
	return sh_error_set(err, SH_ERR_IO,
	    "the %s data are damaged at byte %llu or before; the file was not read to its end",
	    d->codec->name, (unsigned long long)(d->bytes - (d->in.n - d->at)));
}

/* Runs one step of the decoder. When a step makes bytes and fails, this call returns the bytes, and
 * the next call the error. */
static ssize_t decode(struct sh_reader_layer *d, char *p, size_t room, struct sh_error *err)
{
	struct sh_slice in = sh_slice(d->in.p + d->at, d->in.n - d->at);
	char *to = p;
	enum sh_codec_state state;

	d->frame = d->within ? d->frame : d->at;
	state = d->codec->decode.step(d->decoder, &in, &to, room, false);
	d->at = (size_t)(in.p - d->in.p);
	if (state != SH_CODEC_MORE && state != SH_CODEC_END && to > p) {
		d->failed = state;
		return to - p;
	}
	return report(d, state, to - p, err);
}

/* Reads the output of the first `layers` layers. Returns its bytes, 0 at the end, or -1. */
static ssize_t read_layer(
    struct sh_reader *r, unsigned layers, char *p, size_t n, struct sh_error *err)
{
	struct sh_reader_layer *d = layers ? &r->layer[layers - 1] : NULL;
	ssize_t got;

	if (!d) {
		got = r->read(r->read_arg, p, n, err);
		r->raw += got > 0 ? (uint64_t)got : 0;
		return got;
	}
	for (;;) {
		if (d->failed)
			return report(d, d->failed, 0, err);
		if (d->at == d->in.n && !d->eof && refill(r, d, err) < 0)
			return -1;
		if (!d->within && d->at == d->in.n && d->eof)
			return 0;
		/* Zeros may follow a complete frame, as on tapes, but nothing behind the zeros. */
		if (!d->within && d->complete && (d->padded || d->in.p[d->at] == 0)) {
			d->padded = true;
			while (d->at < d->in.n && d->in.p[d->at] == 0)
				d->at++;
			if (d->at < d->in.n)
				return report(d, SH_CODEC_BAD, 0, err);
			continue;
		}
		/* Without input, too: the decoder may hold bytes for which there was no room. */
		got = decode(d, p, n, err);
		if (got != 0)
			return got;
		if (d->within && d->at == d->in.n && d->eof)
			return sh_error_set(err, SH_ERR_IO,
			    "the %s data are cut short; the file was not read to its end",
			    d->codec->name);
	}
}

/* The decoder may have run past the end of the damaged frame, so the search begins where the frame
 * began, as far as its bytes are still here. */
int sh_reader_resume(struct sh_reader *r, uint64_t *lost, struct sh_error *err)
{
	struct sh_reader_layer *d = r->layer;
	const struct sh_codec *codec = d->codec;
	struct sh_slice rest;

	*lost = 1;
	if (r->layers != 1 || !d->damaged || d->in.n <= d->frame)
		return 0;
	for (d->at = d->frame + 1;; d->at++, ++*lost) {
		while (d->in.n - d->at < SH_CODEC_MAGIC && !d->eof)
			if (refill(r, d, err) < 0)
				return -1;
		rest = sh_slice(d->in.p + d->at, d->in.n - d->at);
		if (rest.n == 0)
			return 0;
		if (codec->is(rest) && sh_codec_likely(codec, rest))
			break;
	}
	sh_coder_delete(&codec->decode, d->decoder);
	d->decoder = sh_coder_new(&codec->decode);
	d->failed = SH_CODEC_MORE;
	d->within = d->padded = d->damaged = false;
	if (!d->decoder)
		return sh_error_nomem(err);
	sh_reader_consume(r, sh_reader_ready(r).n);
	r->failed = (struct sh_error){ 0 };
	return 1;
}

/* ---- ready bytes ---- */

/* Reads once, decompressed. Returns the number of bytes, 0 at the end of the input, or -1. */
static ssize_t read_once(struct sh_reader *r, char *p, size_t n, struct sh_error *err)
{
	ssize_t got;

	if (sh_reader_check(r, err) < 0)
		return -1;
	if (r->eof)
		return 0;
	got = read_layer(r, r->layers, p, n, err);
	if (got > 0 && r->layers) {
		r->unpacked += (uint64_t)got;
		if (r->unpacked > SH_READER_FREE && r->unpacked / SH_READER_RATIO > r->raw)
			got = sh_error_set(err, SH_ERR_IO,
			    "decompressed more than %d times its size, and more than %llu MiB: a "
			    "decompression bomb? (%s reads it without a limit)",
			    SH_READER_RATIO, (unsigned long long)(SH_READER_FREE >> 20),
			    r->codec->command);
	}
	if (got < 0)
		return fail(r, err);
	r->eof = got == 0;
	if (r->eof)
		stop(r);
	else if (r->progress)
		r->progress(r->progress_arg, (uint64_t)got);
	return got;
}

int sh_reader_more(struct sh_reader *r, struct sh_error *err)
{
	size_t n = r->layers ? UNPACK_SIZE : READ_SIZE;
	ssize_t got;

	/* Discards consumed bytes that fill half of the buffer: a byte moves once on average. */
	if (r->at >= r->buf.n - r->at) {
		if (r->at < r->buf.n)
			memmove(r->buf.p, r->buf.p + r->at, r->buf.n - r->at);
		r->buf.n -= r->at;
		r->at = 0;
	}
	if (sh_buf_reserve(&r->buf, n + SH_PAD, err) < 0)
		return -1;
	got = read_once(r, r->buf.p + r->buf.n, n, err);
	if (got <= 0)
		return (int)got;
	r->buf.n += (size_t)got;
	return 1;
}

int sh_reader_take(struct sh_reader *r, size_t n, struct sh_buf *b, struct sh_error *err)
{
	struct sh_slice ready = sh_reader_ready(r);
	struct sh_buf rest = *b;

	rest.n = 0;
	*b = (struct sh_buf){ 0 };
	if (sh_buf_add(&rest, ready.p + n, ready.n - n, err) < 0) {
		sh_buf_free(&rest);
		return -1;
	}
	*b = r->buf;
	if (r->at)
		memmove(b->p, ready.p, n);
	b->n = n;
	r->buf = rest;
	r->at = 0;
	r->offset += n;
	return 0;
}

int sh_reader_need(struct sh_reader *r, size_t n, struct sh_error *err)
{
	int got = 1;

	while (r->buf.n - r->at < n && got > 0)
		got = sh_reader_more(r, err);
	return got < 0 ? -1 : 0;
}

int sh_reader_look(struct sh_reader *r, size_t n, struct sh_error *err)
{
	if (sh_reader_need(r, n, err) < 0 && sh_reader_check(r, err) == 0)
		return -1;
	return 0;
}

/* Adds a decoder for the input, or for the output of the decoder before it. Its first bytes are
 * ready. */
static int add_layer(struct sh_reader *r, const struct sh_codec *codec, struct sh_error *err)
{
	struct sh_reader_layer *d = &r->layer[r->layers];
	struct sh_slice first = sh_buf_slice(&r->buf);

	if (r->layers == SH_READER_LAYERS)
		return sh_error_set(
		    err, SH_ERR_IO, "compressed more than %d times", SH_READER_LAYERS);
	if (r->layers++ == 0)
		r->codec = codec;
	*d = (struct sh_reader_layer){ .codec = codec, .bytes = first.n };
	if (!codec->decode.step)
		return sh_codec_lacking(codec, err);
	d->decoder = sh_coder_new(&codec->decode);
	if (!d->decoder)
		return sh_error_nomem(err);
	r->buf.n = 0;
	return sh_buf_add(&d->in, first.p, first.n, err);
}

/* ---- opening ---- */

/* Reads the first bytes, which show whether the input is compressed. */
static int begin(struct sh_reader *r, struct sh_error *err)
{
	int got = sh_reader_more(r, err);

	while (got > 0) {
		struct sh_slice head = sh_buf_slice(&r->buf);
		const struct sh_codec *codec = sh_codec_of(head);

		if (codec && add_layer(r, codec, err) < 0)
			got = -1;
		else if (codec || sh_codec_undecided(head))
			got = sh_reader_more(r, err);
		else
			return 0;
	}
	if (got == 0)
		return 0;
	fail(r, err);
	sh_reader_close(r);
	return -1;
}

int sh_reader_open_fd(
    struct sh_reader *r, int fd, int cancel, const char *name, struct sh_error *err)
{
	*r = (struct sh_reader){ .name = name,
		.line = 1,
		.fd = fd,
		.cancel = cancel,
		.read = read_file,
		.read_arg = r };
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	sh_enlarge_pipe(fd);
	return begin(r, err);
}

int sh_reader_open_stream(
    struct sh_reader *r, sh_read_fn *read, void *arg, const char *name, struct sh_error *err)
{
	*r = (struct sh_reader){ .name = name, .line = 1, .fd = -1, .read = read, .read_arg = arg };
	return begin(r, err);
}

int sh_reader_open(struct sh_reader *r, const char *name, struct sh_error *err)
{
	int fd = STDIN_FILENO;

	if (strcmp(name, "-") != 0)
		fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return sh_reader_open_fd(r, fd, -1, name, err);
	*r = (struct sh_reader){ 0 };
	sh_error_sys(err, "cannot open the file");
	err->file = name;
	return -1;
}

int sh_reader_memory(struct sh_reader *r, struct sh_slice bytes, struct sh_error *err)
{
	*r = (struct sh_reader){ .name = "memory", .line = 1, .eof = true, .fd = -1 };
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

/* Sets *at to the file offset where the reader began. The offset exceeds 0 when another program has
 * read from standard input. */
static bool beginning(const struct sh_reader *r, off_t *at)
{
	*at = r->fd >= 0 ? lseek(r->fd, 0, SEEK_CUR) : -1;
	if (*at < 0 || (uint64_t)*at < r->raw)
		return false;
	*at -= (off_t)r->raw;
	return true;
}

/* Sets *size to the bytes of the input before decompression. Returns false when the input is not an
 * open regular file. */
static bool raw_size(const struct sh_reader *r, uint64_t *size)
{
	struct stat st;
	off_t begun;

	if (r->eof || !beginning(r, &begun) || fstat(r->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size < begun)
		return false;
	*size = (uint64_t)(st.st_size - begun);
	return true;
}

bool sh_reader_seekable(const struct sh_reader *r, uint64_t *size)
{
	return !r->layers && raw_size(r, size);
}

ssize_t sh_reader_at(
    const struct sh_reader *r, uint64_t at, void *p, size_t n, struct sh_error *err)
{
	ssize_t got = -1;
	off_t begun;

	errno = ESPIPE;
	if (beginning(r, &begun))
		got = sh_read_at(r->fd, p, n, (uint64_t)begun + at);
	return got < 0 ? sh_error_sys(err, "cannot read the file") : got;
}

int sh_reader_packed(const struct sh_reader *r, size_t max, struct sh_buf *b, struct sh_error *err)
{
	uint64_t size;
	ssize_t got;

	if (!r->layers || !raw_size(r, &size) || size > max)
		return 0;
	if (sh_buf_reserve(b, (size_t)size, err) < 0)
		return -1;
	got = sh_reader_at(r, 0, b->p + b->n, (size_t)size, err);
	b->n += got > 0 ? (size_t)got : 0;
	return got < 0 ? -1 : 1;
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
		got = sh_reader_more(r, err);
		if (got < 0)
			return -1;
		if (got == 0) {
			/* sh_reader_more() may have moved the bytes. */
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
		sh_reader_consume(r, ready);
		*skipped += ready;
		if (*skipped < n)
			got = sh_reader_more(r, err);
	}
	return got < 0 ? -1 : 0;
}
