/* SPDX-License-Identifier: MIT */
/* Encoders of compressed streams, one row for each form. A row has no functions when the build
 * lacks the library: messages still name the form and the library. */
#ifndef SH_IO_COMPRESS_H
#define SH_IO_COMPRESS_H

#include "base/buf.h"
#include "io/codec.h"

/* The most bytes of output that one call of step() writes. */
enum { SH_COMPRESS_ROOM = 512 * 1024 };

struct sh_compressor {
	const char *name;    /* as in sh_codec, such as "gzip" */
	const char *library; /* such as "zlib" */
	const char *suffix;  /* of file names, such as ".gz" */
	/* NULL in a build without the library. start() returns NULL when memory is short. */
	void *(*start)(void);
	/* Encodes bytes of *in to *to, which has SH_COMPRESS_ROOM bytes. Moves *in and *to behind
	 * the bytes that were read and written. end: *in holds the last input. Returns
	 * SH_CODEC_MORE or an error; or SH_CODEC_END when `end` is true and all output written. */
	enum sh_codec_state (*step)(void *encoder, struct sh_slice *in, char **to, bool end);
	void (*stop)(void *encoder);
};

/* Return the row with this name, or with index i, from 0. Return NULL when there is no such row. */
const struct sh_compressor *sh_compressor_named(const char *name);
const struct sh_compressor *sh_compressor_at(unsigned i);

/* Fills *err with SH_ERR_PARAM for a form that this build cannot write. Returns -1. */
int sh_compressor_lacking(const struct sh_compressor *form, struct sh_error *err);

/* A compressed stream. */
struct sh_compress {
	const struct sh_compressor *form; /* NULL: sh_compress_start() was not called */
	void *encoder;
	struct sh_buf out; /* compressed bytes; the caller writes them and sets out.n to 0 */
};

/* Returns 0; or -1 when memory is short or the build lacks the form. */
int sh_compress_start(
    struct sh_compress *z, const struct sh_compressor *form, struct sh_error *err);

/* Compresses n bytes at p and appends the result to z->out. end: these bytes end the stream. */
int sh_compress_add(struct sh_compress *z, const void *p, size_t n, bool end, struct sh_error *err);
void sh_compress_free(struct sh_compress *z);

#endif
