/* Decoders of compressed streams, one row for each form, all with one interface. A form whose library the
 * build lacks has a row without functions, so that a message can name the form and the library. */
#ifndef SH_IO_CODEC_H
#define SH_IO_CODEC_H

#include <stdbool.h>

#include "base/error.h"
#include "base/slice.h"

/* Bytes of a file's beginning that suffice to recognise each form. */
enum { SH_CODEC_MAGIC = 10 };

/* Returns the largest window that a decoder may have, in bytes: how far back a compressed stream may refer. It is the
 * value of the environment variable SH_CODEC_WINDOW_NAME when that is a size, otherwise SH_CODEC_WINDOW. */
#define SH_CODEC_WINDOW      ((size_t)128 << 20)
#define SH_CODEC_WINDOW_NAME "SIMHASH_WINDOW"
size_t sh_codec_window(void);

/* Returns whether that variable is unset, empty or a size. Any other value is ignored. */
bool sh_codec_window_valid(void);

enum sh_codec_state {
	SH_CODEC_MORE, /* the frame goes on: give more input, or more room */
	SH_CODEC_END,  /* the frame ended; another one may follow */
	SH_CODEC_BAD,  /* the bytes are damaged, or in another form */
	SH_CODEC_WIDE, /* the frame needs a window above sh_codec_window() */
	SH_CODEC_NOMEM,
};

struct sh_codec {
	const char *name;    /* of the form, such as "gzip" */
	const char *library; /* the library that decodes it, such as "zlib" */
	/* a command that decompresses to standard output with any window, such as "gzip -dc" */
	const char *command;
	bool (*is)(struct sh_slice head); /* NULL: the form has no magic number */
	/* NULL in a build without the library. start() returns NULL when memory ran out. */
	void *(*start)(void);
	/* Decodes bytes of *in to *to, at most `room` bytes. Moves *in behind the consumed bytes and *to
	 * behind the bytes written. */
	enum sh_codec_state (*step)(void *decoder, struct sh_slice *in, char **to, size_t room);
	void (*stop)(void *decoder);
};

/* Returns the form of a file with this beginning, or NULL when it is not compressed. */
const struct sh_codec *sh_codec_of(struct sh_slice head);

/* Returns the form of this name: a name of sh_codec_of(), or the content coding "deflate" or "raw deflate".
 * Returns NULL for any other name. */
const struct sh_codec *sh_codec_named(const char *name);

/* Returns whether the head is too short to decide the form: fewer bytes than SH_CODEC_MAGIC, and no form is
 * excluded yet. */
bool sh_codec_undecided(struct sh_slice head);

/* Fills *err for a form that this build cannot read. Returns -1. */
int sh_codec_lacking(const struct sh_codec *codec, struct sh_error *err);

#endif
