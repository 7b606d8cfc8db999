/* SPDX-License-Identifier: MIT */
/* Decompresses a stream whose first bytes belong to a compressed form (io/codec.h). Passes on the
 * bytes of any other stream. Decompresses a stream twice that was compressed twice.
 *
 * Hostile input costs bounded memory and time: see sh_codec_window() and the limits below. A stream
 * that is damaged or cut short gives its good bytes, then SH_ERR_IO. */
#ifndef SH_IO_DECOMPRESS_H
#define SH_IO_DECOMPRESS_H

#include <sys/types.h>

#include "base/buf.h"
#include "io/codec.h"

enum {
	SH_DECOMPRESS_LAYERS = 2, /* the most times that a stream may be compressed */
	SH_DECOMPRESS_RATIO = 1000,
};

/* A stream may become SH_DECOMPRESS_FREE bytes at any ratio. A longer stream may become at most
 * SH_DECOMPRESS_RATIO times as long as its compressed bytes. */
#define SH_DECOMPRESS_FREE (UINT64_C(256) << 20)

/* Reads up to n compressed bytes. Returns their number, 0 at the end, or -1. */
typedef ssize_t sh_decompress_read(void *arg, void *p, size_t n, struct sh_error *err);

struct sh_decompress_layer {
	const struct sh_codec *codec;
	void *decoder;
	struct sh_buf in; /* compressed bytes; the first `at` bytes are decoded */
	size_t at;
	size_t frame;  /* offset in `in` of the current frame, 0 when it began earlier */
	bool damaged;  /* the last error was that the data are damaged */
	bool within;   /* the decoder is inside a frame */
	bool complete; /* a frame has ended: another frame, zero bytes or the end may follow */
	bool padded;   /* zero bytes have followed a frame: zero bytes or the end may follow */
	bool eof;      /* no more compressed bytes come */
	enum sh_codec_state failed; /* the error for the next read to report; SH_CODEC_MORE: none */
};

/* Decoders of one stream. layer[0] decodes the stream, layer[1] the output of layer[0]. */
struct sh_decompress {
	sh_decompress_read *read;
	void *arg;
	size_t layers; /* number of decoders; 0: the stream is not compressed */
	struct sh_decompress_layer layer[SH_DECOMPRESS_LAYERS];
	uint64_t in, out; /* compressed and decompressed bytes so far; both 0 without layers */
};

/* Examines the first bytes of a stream, which the caller has read into b from offset `from` on.
 * Appends more bytes when these bytes do not show the form. Replaces compressed bytes by the first
 * decompressed bytes. b->n is `from` only at the stream's end. Returns 0 or -1. d must be freed. */
int sh_decompress_start(struct sh_decompress *d, sh_decompress_read *read, void *arg,
    struct sh_buf *b, size_t from, struct sh_error *err);

/* Reads up to n decompressed bytes. Returns their number, 0 at the end, or -1. Call it only when
 * sh_decompress_start() has set d->layers > 0. */
ssize_t sh_decompress_more(struct sh_decompress *d, void *p, size_t n, struct sh_error *err);

/* After damaged data: looks for the next frame, which sh_decompress_more() reads then. Sets *lost
 * to the compressed bytes that are passed over, at most. Returns 1; 0 when there is no further
 * frame; or -1. */
int sh_decompress_resume(struct sh_decompress *d, uint64_t *lost, struct sh_error *err);

void sh_decompress_free(struct sh_decompress *d);

#endif
