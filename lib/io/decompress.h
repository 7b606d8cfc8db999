/* Decompresses a stream when its first bytes say that it is compressed. Passes any other stream on as
 * it is. A stream that was compressed twice is decompressed twice.
 *
 * Hostile input costs bounded memory and time: see sh_codec_window() and the limits below. A stream that is
 * damaged or cut short gives its good bytes, then an error: never an early end. */
#ifndef SH_IO_DECOMPRESS_H
#define SH_IO_DECOMPRESS_H

#include <sys/types.h>

#include "base/buf.h"
#include "io/codec.h"

enum {
	SH_DECOMPRESS_LAYERS = 2, /* the most times that a stream may be compressed */
	SH_DECOMPRESS_RATIO = 1000,
};

/* The decompressed bytes that are allowed at any ratio. Beyond them, each compressed byte may become
 * SH_DECOMPRESS_RATIO bytes on average. */
#define SH_DECOMPRESS_FREE (UINT64_C(256) << 20)

/* Reads up to n compressed bytes. Returns their number, 0 at the end, or -1. */
typedef ssize_t sh_decompress_read(void *arg, void *p, size_t n, struct sh_error *err);

struct sh_decompress_layer {
	const struct sh_codec *codec;
	void *decoder;
	struct sh_buf in; /* compressed bytes; those before `at` are used */
	size_t at;
	bool within; /* the decoder is inside of a frame */
	bool begun;  /* a frame has ended: zero bytes may follow up to the end, or another frame */
	bool padded; /* zero bytes followed it: only more of them may come */
	bool eof;    /* the layer below has ended */
	/* SH_CODEC_MORE, or the state that the next read reports as an error */
	enum sh_codec_state failed;
};

/* Decoders of one stream. A zeroed struct passes bytes on. */
struct sh_decompress {
	sh_decompress_read *read;
	void *arg;
	size_t layers; /* number of decoders; 0: the stream is not compressed */
	struct sh_decompress_layer layer[SH_DECOMPRESS_LAYERS];
	uint64_t in, out; /* bytes of the stream, compressed and decompressed */
};

/* Examines the first bytes of a stream, which the caller has read into b from offset `from` on. b->n - from
 * may be 0 only at the stream's end. Reads more bytes while they do not decide the form. When the stream is
 * compressed, replaces them by the first decompressed bytes. Sets *got to the number of bytes in b behind
 * `from`, 0 at the end. */
int sh_decompress_start(struct sh_decompress *d, sh_decompress_read *read, void *arg,
    struct sh_buf *b, size_t from, struct sh_error *err);

/* Reads up to n decompressed bytes. Returns their number, 0 at the end, or -1. Call it only when
 * sh_decompress_start() has set d->layers > 0. */
ssize_t sh_decompress_more(struct sh_decompress *d, void *p, size_t n, struct sh_error *err);

void sh_decompress_free(struct sh_decompress *d);

#endif
