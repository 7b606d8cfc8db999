/* A stream of bytes that is decompressed when its first bytes say that it is compressed, and passed on as it
 * is otherwise. A stream compressed twice is decompressed twice.
 *
 * Hostile input costs bounded memory and time: see SH_CODEC_WINDOW and the limits below. A stream that is
 * cut short or damaged is an error after its last good byte, never an early end. */
#ifndef SH_IO_DECOMPRESS_H
#define SH_IO_DECOMPRESS_H

#include <sys/types.h>

#include "base/buf.h"
#include "io/codec.h"

enum {
	SH_DECOMPRESS_LAYERS = 2, /* how many times a stream may be compressed */
	SH_DECOMPRESS_RATIO = 1000,
};

/* Bytes that a stream may become whatever its ratio. Beyond them, each compressed byte may become
 * SH_DECOMPRESS_RATIO bytes on average. */
#define SH_DECOMPRESS_FREE (UINT64_C(256) << 20)

/* Reads up to n compressed bytes: how many, 0 at the end, -1. */
typedef ssize_t sh_decompress_read(void *arg, void *p, size_t n, struct sh_error *err);

struct sh_decompress_layer {
	const struct sh_codec *codec;
	void *decoder;
	struct sh_buf in; /* compressed bytes, of which those before `at` are used */
	size_t at;
	bool within;                /* a frame has begun and not ended */
	bool begun;                 /* a frame has ended */
	bool eof;                   /* the layer below has ended */
	enum sh_codec_state failed; /* SH_CODEC_MORE, or the error for the next read */
};

/* A zeroed one passes bytes on. */
struct sh_decompress {
	sh_decompress_read *read;
	void *arg;
	size_t layers; /* 0: the stream is not compressed */
	struct sh_decompress_layer layer[SH_DECOMPRESS_LAYERS];
	uint64_t in, out; /* bytes of the stream, before and after */
};

/* Look at the first bytes of a stream, which the caller has read into b from `from` on. b->n - from must be
 * 0 only at the stream's end. Reads on while they do not show the form. When the stream is
 * compressed, they are replaced by the first decompressed bytes. *got is then the number of bytes in
 * b behind `from`, 0 at the end. */
int sh_decompress_start(struct sh_decompress *d, sh_decompress_read *read, void *arg,
    struct sh_buf *b, size_t from, struct sh_error *err);

/* Up to n bytes: how many, 0 at the end, -1. Only after a start that found d->layers > 0. */
ssize_t sh_decompress_more(struct sh_decompress *d, void *p, size_t n, struct sh_error *err);

void sh_decompress_free(struct sh_decompress *d);

#endif
