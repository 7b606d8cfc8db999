/* Reads an input as bytes, for formats that do not consist of lines. Compressed input is decompressed
 * (io/decompress.h).
 *
 * The reader has a window of bytes that are ready. The caller asks for more of them, looks at them, and
 * consumes some. */
#ifndef SH_IO_READER_H
#define SH_IO_READER_H

#include "base/buf.h"
#include "io/decompress.h"

struct sh_reader {
	const char *name; /* for messages; borrowed */
	struct sh_buf buf;
	size_t at;       /* buf.p + at is the next byte */
	uint64_t offset; /* of the next byte in the decompressed input */
	uint64_t line;   /* number of its line, from 1; the caller keeps it */
	bool eof;
	/* Called after each read with the number of its bytes; or NULL. */
	void (*progress)(void *arg, uint64_t n);
	void *progress_arg;
	struct sh_error failed;      /* code SH_OK, or why no more can be read */
	int fd;                      /* of a file; -1 at the end, and for other inputs */
	sh_decompress_read *read;    /* reads the input as it is, before decoders */
	void *read_arg;              /* of read() */
	uint64_t raw;                /* bytes that read() returned */
	struct sh_decompress packed; /* the decoders, if the input is compressed */
};

/* Opens a file; "-" is standard input. Returns 0 or -1. A zeroed reader is closed. */
int sh_reader_open(struct sh_reader *r, const char *name, struct sh_error *err);

/* Reads from fd. Closes fd with the reader, or at once after an error. */
int sh_reader_open_fd(struct sh_reader *r, int fd, const char *name, struct sh_error *err);

/* Reads the input that a function delivers, such as a member of a container. */
int sh_reader_open_stream(struct sh_reader *r, sh_decompress_read *read, void *arg,
    const char *name, struct sh_error *err);

/* Reads from a copy of these bytes. */
int sh_reader_memory(struct sh_reader *r, struct sh_slice bytes, struct sh_error *err);
void sh_reader_close(struct sh_reader *r);

/* Reads until n bytes are ready; fewer are ready at the end of the input. Returns 0 or -1. After an error,
 * the bytes read before stay ready, and a call that needs more bytes fails again. */
int sh_reader_need(struct sh_reader *r, size_t n, struct sh_error *err);

/* As sh_reader_need(), but a read error ends the input like its end does. Returns -1 only when memory is
 * short. For a look ahead at bytes that may not be needed. */
int sh_reader_look(struct sh_reader *r, size_t n, struct sh_error *err);

/* Returns -1 with the error when a read has failed, else 0. */
int sh_reader_check(const struct sh_reader *r, struct sh_error *err);

/* Returns whether sh_reader_at() can read the file: it is a regular file, not compressed, and not read to its end.
 * *size is the number of bytes from the reader's beginning to the file's end. */
bool sh_reader_seekable(const struct sh_reader *r, uint64_t *size);

/* Reads up to n bytes, from `at` bytes behind the reader's beginning. Returns how many, 0 at the end, or -1. The
 * reader stays where it is. */
ssize_t sh_reader_at(
    const struct sh_reader *r, uint64_t at, void *p, size_t n, struct sh_error *err);

/* Returns the bytes that are ready. They move when more are read. */
static inline struct sh_slice sh_reader_ready(const struct sh_reader *r)
{
	return sh_slice(r->buf.p + r->at, r->buf.n - r->at);
}

/* Consumes n of the bytes that are ready. */
static inline void sh_reader_take(struct sh_reader *r, size_t n)
{
	r->at += n;
	r->offset += n;
}

/* Sets *line to the line that begins `from` bytes behind the next byte, with its LF if it has one. A line of
 * more than `max` bytes is cut after max bytes. Consumes nothing. Returns 1, 0 at the end, or -1. */
int sh_reader_line(
    struct sh_reader *r, size_t from, size_t max, struct sh_slice *line, struct sh_error *err);

/* Consumes n bytes, which need not be ready. Sets *skipped to their number, less than n only at the end or
 * after an error. Returns 0 or -1. */
int sh_reader_skip(struct sh_reader *r, uint64_t n, uint64_t *skipped, struct sh_error *err);

#endif
