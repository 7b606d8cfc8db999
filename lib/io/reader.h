/* An input as bytes, as many at a time as the caller asks for: for formats that are not made of
 * lines. Compressed input comes decompressed (io/decompress.h). */
#ifndef SH_IO_READER_H
#define SH_IO_READER_H

#include "base/buf.h"
#include "io/decompress.h"

struct sh_reader {
	const char *name; /* as messages say it; borrowed */
	struct sh_buf buf;
	size_t at;       /* buf.p + at is the next byte */
	uint64_t offset; /* of that byte, from the input's beginning */
	uint64_t line;   /* of that byte, from 1: as far as sh_reader_line() was used */
	bool eof;
	/* Called with the number of bytes of each read, or NULL. */
	void (*progress)(void *arg, uint64_t n);
	void *progress_arg;
	struct sh_error failed;      /* code SH_OK, or why no more can be read */
	int fd;                      /* -1 at the end */
	struct sh_decompress packed; /* the decoders behind fd, if any */
};

/* "-" is standard input. A zeroed reader is closed. */
int sh_reader_open(struct sh_reader *r, const char *name, struct sh_error *err);

/* The file that is open as fd, which is closed with the reader, and at once after an error. */
int sh_reader_open_fd(struct sh_reader *r, int fd, const char *name, struct sh_error *err);

/* An input of these bytes, which are copied. */
int sh_reader_memory(struct sh_reader *r, struct sh_slice bytes, struct sh_error *err);
void sh_reader_close(struct sh_reader *r);

/* Have n bytes ready, or all that there are. What fails fails again whenever more is needed than was
 * read before, which stays ready. */
int sh_reader_need(struct sh_reader *r, size_t n, struct sh_error *err);

/* For a look at what comes: n bytes ready, or all that can be read, whatever ends it. -1 when memory
 * does not suffice. */
int sh_reader_look(struct sh_reader *r, size_t n, struct sh_error *err);

/* Whether reading has failed, for who needs no more: 0, or -1 and how. */
int sh_reader_check(const struct sh_reader *r, struct sh_error *err);

/* What is ready; it moves when more is needed. */
static inline struct sh_slice sh_reader_ready(const struct sh_reader *r)
{
	return sh_slice(r->buf.p + r->at, r->buf.n - r->at);
}

/* n bytes of what is ready are done with. */
static inline void sh_reader_take(struct sh_reader *r, size_t n)
{
	r->at += n;
	r->offset += n;
}

/* The line that begins `from` bytes behind the next byte, with its LF where it has one, as
 * long as it is no longer than `max`, else its first max bytes: 1, 0 at the end, -1.
 * Nothing is taken. */
int sh_reader_line(
    struct sh_reader *r, size_t from, size_t max, struct sh_slice *line, struct sh_error *err);

/* Take n bytes that need not be ready; fewer only at the end. The number taken. */
int sh_reader_skip(struct sh_reader *r, uint64_t n, uint64_t *skipped, struct sh_error *err);

#endif
