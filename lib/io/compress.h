/* Encoders of compressed streams, one row for each form. A form whose library the build lacks has a row
 * without functions, so that a message can name the form and the library. */
#ifndef SH_IO_COMPRESS_H
#define SH_IO_COMPRESS_H

#include "base/buf.h"
#include "io/codec.h"

/* Bytes of output that one call of step() may need. */
enum { SH_COMPRESS_ROOM = 512 * 1024 };

struct sh_compressor {
	const char *name; /* as sh_codec.name: "gzip" */
	const char *library;
	const char *suffix; /* of a file's name: ".gz" */
	/* NULL in a build without the library. start() returns NULL when memory ran out. */
	void *(*start)(void);
	/* Encodes from *in into *to, which has SH_COMPRESS_ROOM bytes, and moves both. `end`: no more
	 * input comes behind *in; SH_CODEC_END says that all is written. */
	enum sh_codec_state (*step)(void *encoder, struct sh_slice *in, char **to, bool end);
	void (*stop)(void *encoder);
};

/* The row of this name, or of this number from 0; NULL when there is none. */
const struct sh_compressor *sh_compressor_named(const char *name);
const struct sh_compressor *sh_compressor_at(unsigned i);

/* The error for a form that this build cannot write. */
int sh_compressor_lacking(const struct sh_compressor *form, struct sh_error *err);

/* A stream that is compressed. A zeroed one compresses nothing. */
struct sh_compress {
	const struct sh_compressor *form;
	void *encoder;
	struct sh_buf out; /* compressed bytes that are still to be written */
};

int sh_compress_start(
    struct sh_compress *z, const struct sh_compressor *form, struct sh_error *err);

/* Appends the compressed bytes of p to z->out. end: the stream ends behind them. */
int sh_compress_add(struct sh_compress *z, const void *p, size_t n, bool end, struct sh_error *err);
void sh_compress_free(struct sh_compress *z);

#endif
