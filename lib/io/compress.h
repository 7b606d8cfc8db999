/* Encoders of compressed streams, one row for each form. A form whose library the build lacks has a row
 * without functions, so that a message can name the form and the library. */
#ifndef SH_IO_COMPRESS_H
#define SH_IO_COMPRESS_H

#include "base/buf.h"
#include "io/codec.h"

/* The most bytes of output that one call of step() writes. */
enum { SH_COMPRESS_ROOM = 512 * 1024 };

struct sh_compressor {
	const char *name; /* as sh_codec.name: "gzip" */
	const char *library;
	const char *suffix; /* ending of a file's name, such as ".gz" */
	/* NULL in a build without the library. start() returns NULL when memory ran out. */
	void *(*start)(void);
	/* Encodes bytes of *in to *to, which has SH_COMPRESS_ROOM bytes. Moves *in behind the consumed
	 * bytes and *to behind the bytes written. end: *in holds the last input; the result SH_CODEC_END
	 * then means that all output is written. */
	enum sh_codec_state (*step)(void *encoder, struct sh_slice *in, char **to, bool end);
	void (*stop)(void *encoder);
};

/* Returns the row of this name, or the row of this number, from 0. Returns NULL when there is no such
 * row. */
const struct sh_compressor *sh_compressor_named(const char *name);
const struct sh_compressor *sh_compressor_at(unsigned i);

/* Fills *err for a form that this build cannot write. Returns -1. */
int sh_compressor_lacking(const struct sh_compressor *form, struct sh_error *err);

/* A stream that may be compressed. A zeroed struct compresses nothing. */
struct sh_compress {
	const struct sh_compressor *form;
	void *encoder;
	struct sh_buf out; /* compressed bytes that are still to be written */
};

int sh_compress_start(
    struct sh_compress *z, const struct sh_compressor *form, struct sh_error *err);

/* Compresses n bytes at p and appends the result to z->out. end: these are the last bytes of the stream. */
int sh_compress_add(struct sh_compress *z, const void *p, size_t n, bool end, struct sh_error *err);
void sh_compress_free(struct sh_compress *z);

#endif
