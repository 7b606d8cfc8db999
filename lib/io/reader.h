/* SPDX-License-Identifier: MIT */
/* Reads an input as bytes. Decompresses an input whose first bytes belong to a compressed form.
 * io/source.h reads lines on top of it.
 *
 * Bytes are ready when they are read and not consumed. The caller asks for ready bytes, looks at
 * the bytes, and consumes some.
 *
 * Hostile input costs bounded memory: see sh_codec_window(). A stream that is damaged or cut short
 * gives its good bytes, then SH_ERR_IO. */
#ifndef SH_IO_READER_H
#define SH_IO_READER_H

#include <sys/types.h>

#include "base/buf.h"
#include "io/codec.h"

enum {
	SH_READER_LAYERS = 2, /* the most times that an input may be compressed */
	SH_READER_RATIO = 1000,
};

/* An input may become SH_READER_FREE bytes at any ratio. A longer one may become at most
 * SH_READER_RATIO times as long as its compressed bytes. */
#define SH_READER_FREE (UINT64_C(256) << 20)

/* Reads up to n bytes. Returns their number, 0 at the end, or -1. */
typedef ssize_t sh_read_fn(void *arg, void *p, size_t n, struct sh_error *err);

/* Decodes the input, or the output of the layer before it. */
struct sh_reader_layer {
	const struct sh_codec *codec;
	void *decoder;
	struct sh_buf in; /* compressed bytes; the first `at` bytes are decoded */
	size_t at;
	uint64_t bytes; /* compressed bytes that were read so far, with the bytes of `in` */
	size_t frame;   /* offset in `in` of the current frame, 0 when it began earlier */
	bool damaged;   /* the last error was that the data are damaged */
	bool within;    /* the decoder is inside a frame */
	bool complete;  /* a frame has ended: another frame, zero bytes or the end may follow */
	bool padded;    /* zero bytes have followed a frame: zero bytes or the end may follow */
	bool eof;       /* no more compressed bytes come */
	enum sh_codec_state failed; /* the error for the next read to report; SH_CODEC_MORE: none */
};

struct sh_reader {
	const char *name; /* for messages; borrowed */
	struct sh_buf buf;
	size_t at;       /* buf.p + at is the next byte */
	uint64_t offset; /* of the next byte in the decompressed input, from 0 */
	uint64_t line;   /* number of the next byte's line; 1 at first, then set by the caller */
	bool eof;        /* all bytes of the input are read */
	/* NULL, or called after each read with the number of decompressed bytes. */
	void (*progress)(void *arg, uint64_t n);
	void *progress_arg;
	struct sh_error failed;       /* the error of an earlier read; code SH_OK: none */
	int fd;                       /* of an open file; otherwise -1 */
	int cancel;                   /* see sh_reader_open_fd() */
	bool file_failed;             /* the last read of fd has failed */
	sh_read_fn *read;             /* reads the input, before decompression */
	void *read_arg;               /* of read() */
	uint64_t raw;                 /* bytes that read() returned */
	const struct sh_codec *codec; /* form of the input; NULL: not compressed */
	uint64_t unpacked;            /* decompressed bytes */
	struct sh_reader_layer layer[SH_READER_LAYERS]; /* until all bytes are read */
	unsigned layers;
};

/* Opens a file; "-" is standard input. Returns 0 or -1. A zeroed reader is closed. */
int sh_reader_open(struct sh_reader *r, const char *name, struct sh_error *err);

/* Reads from fd. The reader closes fd, also when this function fails. cancel: the reading end of a
 * pipe, or -1. After another thread has closed the writing end, a read that would wait for input
 * fails with SH_ERR_IO. */
int sh_reader_open_fd(
    struct sh_reader *r, int fd, int cancel, const char *name, struct sh_error *err);

/* Reads the input that a function delivers, such as a member of a container. */
int sh_reader_open_stream(
    struct sh_reader *r, sh_read_fn *read, void *arg, const char *name, struct sh_error *err);

/* Reads from a copy of these bytes, without decompression. */
int sh_reader_memory(struct sh_reader *r, struct sh_slice bytes, struct sh_error *err);
void sh_reader_close(struct sh_reader *r);

/* Reads until n bytes are ready, or fewer at the end of the input. Returns 0 or -1. After an error,
 * bytes that are ready stay ready, and a call that needs more bytes fails again. */
int sh_reader_need(struct sh_reader *r, size_t n, struct sh_error *err);

/* Reads once, behind the ready bytes. Returns 1, 0 at the end of the input, or -1. */
int sh_reader_more(struct sh_reader *r, struct sh_error *err);

/* Replaces the content of *b by the first n ready bytes, and consumes these n bytes. Copies only
 * the other ready bytes. Moves the n bytes if some bytes were consumed before. Returns 0 or -1. */
int sh_reader_take(struct sh_reader *r, size_t n, struct sh_buf *b, struct sh_error *err);

/* As sh_reader_need(), for bytes that may not be needed: a read error counts as the end of the
 * input. Returns -1 only when memory is short. */
int sh_reader_look(struct sh_reader *r, size_t n, struct sh_error *err);

/* Returns -1 with the error when a read has failed, else 0. */
int sh_reader_check(const struct sh_reader *r, struct sh_error *err);

/* After a read that failed, as the compressed data are damaged: consumes the ready bytes, and goes
 * on with the next frame or member. Sets *lost to the compressed bytes that are passed over.
 * Returns 1; 0 when there is none; or -1. */
int sh_reader_resume(struct sh_reader *r, uint64_t *lost, struct sh_error *err);

/* Returns whether sh_reader_at() can read: the input is a regular file, not compressed, and not
 * read to its end. Sets *size to the bytes of the input, from where the reader began. */
bool sh_reader_seekable(const struct sh_reader *r, uint64_t *size);

/* Reads at most n bytes from offset `at` of the input. Returns the number of bytes, 0 at the end,
 * or -1. Ready bytes stay ready. */
ssize_t sh_reader_at(
    const struct sh_reader *r, uint64_t at, void *p, size_t n, struct sh_error *err);

/* Appends all bytes of the input to *b as they stand in the file, when it is a compressed regular
 * file of at most `max` bytes that is not read to its end. Ready bytes stay ready. Returns 1; 0 for
 * another input; or -1. */
int sh_reader_packed(const struct sh_reader *r, size_t max, struct sh_buf *b, struct sh_error *err);

/* Returns the ready bytes. The bytes move when the reader reads more. */
static inline struct sh_slice sh_reader_ready(const struct sh_reader *r)
{
	return sh_slice(r->buf.p + r->at, r->buf.n - r->at);
}

/* Consumes the first n ready bytes. */
static inline void sh_reader_consume(struct sh_reader *r, size_t n)
{
	r->at += n;
	r->offset += n;
}

/* Sets *line to the line that begins `from` bytes behind the next byte, with its LF if any. Cuts a
 * line of more than `max` bytes, LF included. Consumes nothing. Returns 1, 0 at the end, or -1. */
int sh_reader_line(
    struct sh_reader *r, size_t from, size_t max, struct sh_slice *line, struct sh_error *err);

/* Consumes n bytes, which need not be ready. Sets *skipped to the bytes consumed: fewer than n at
 * the end or after an error. Returns 0 or -1. */
int sh_reader_skip(struct sh_reader *r, uint64_t n, uint64_t *skipped, struct sh_error *err);

#endif
