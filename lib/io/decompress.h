/* SPDX-License-Identifier: MIT */
/* Decodes a compressed stream (io/codec.h). Two decoders read a stream that was compressed twice:
 * the second decoder reads the output of the first by sh_decompress_read().
 *
 * Hostile input costs bounded memory: see sh_codec_window(). A stream that is damaged or cut short
 * gives its good bytes, then SH_ERR_IO. */
#ifndef SH_IO_DECOMPRESS_H
#define SH_IO_DECOMPRESS_H

#include <sys/types.h>

#include "base/buf.h"
#include "io/codec.h"

/* Reads up to n bytes. Returns their number, 0 at the end, or -1. */
typedef ssize_t sh_read_fn(void *arg, void *p, size_t n, struct sh_error *err);

struct sh_decompress {
	const struct sh_codec *codec;
	sh_read_fn *read; /* reads compressed bytes */
	void *arg;
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

/* Begins a stream whose first bytes were read. Returns 0, or -1 when memory is short or the build
 * lacks the form. Call sh_decompress_free() also after -1. */
int sh_decompress_start(struct sh_decompress *d, const struct sh_codec *codec, sh_read_fn *read,
    void *arg, struct sh_slice first, struct sh_error *err);
void sh_decompress_free(struct sh_decompress *d);

/* Reads up to n decompressed bytes. This is a sh_read_fn. */
ssize_t sh_decompress_read(void *decompress, void *p, size_t n, struct sh_error *err);

/* After damaged data: looks for the next frame, which sh_decompress_read() reads then. Sets *lost
 * to the compressed bytes that are passed over, at most. Returns 1; 0 when there is no further
 * frame; or -1. */
int sh_decompress_resume(struct sh_decompress *d, uint64_t *lost, struct sh_error *err);

#endif
