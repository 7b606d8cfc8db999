/* Decoders of compressed streams, one row for each form, all with one interface. A form whose library the
 * build lacks has a row without functions, so that a message can name the form and the library. */
#ifndef SH_IO_CODEC_H
#define SH_IO_CODEC_H

#include <stdbool.h>

#include "base/error.h"
#include "base/slice.h"

/* Enough bytes of a file's beginning to recognise each form. */
enum { SH_CODEC_MAGIC = 10 };

/* Largest window of a decoder, in bytes: how far back a compressed stream may refer. */
#define SH_CODEC_WINDOW ((size_t)128 << 20)

enum sh_codec_state {
	SH_CODEC_MORE, /* the frame goes on: give more input, or more room */
	SH_CODEC_END,  /* the frame ended; another one may follow */
	SH_CODEC_BAD,  /* the bytes are damaged, or in another form */
	SH_CODEC_WIDE, /* the frame needs a window larger than SH_CODEC_WINDOW */
	SH_CODEC_NOMEM,
};

struct sh_codec {
	const char *name;    /* of the form: "gzip" */
	const char *library; /* that decodes it: "zlib" */
	const char *command; /* that decompresses to standard output, with any window: "gzip -dc" */
	bool (*is)(struct sh_slice head); /* NULL: the form has no magic number */
	/* NULL in a build without the library. start() returns NULL when memory ran out. */
	void *(*start)(void);
	/* Decodes from *in into *to, and moves both behind what was used. */
	enum sh_codec_state (*step)(void *decoder, struct sh_slice *in, char **to, size_t room);
	void (*stop)(void *decoder);
};

/* The form of a file with this beginning. NULL: it is not compressed. */
const struct sh_codec *sh_codec_of(struct sh_slice head);

/* The form of that name: those of sh_codec_of(), and the content codings "deflate" and "raw deflate". */
const struct sh_codec *sh_codec_named(const char *name);

/* Whether fewer bytes than SH_CODEC_MAGIC leave it open which form, if any, the file has. */
bool sh_codec_undecided(struct sh_slice head);

/* The error for a form that this build cannot read. */
int sh_codec_lacking(const struct sh_codec *codec, struct sh_error *err);

#endif
