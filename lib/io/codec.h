/* SPDX-License-Identifier: MIT */
/* Compressed forms, one row for each: how to know it, decode it and encode it. A row has no
 * functions when the build lacks the library: messages still name the form and the library. A
 * stream is a sequence of frames, each of which is compressed on its own. */
#ifndef SH_IO_CODEC_H
#define SH_IO_CODEC_H

#include <stdbool.h>

#include "base/error.h"
#include "base/slice.h"

/* The first SH_CODEC_MAGIC bytes of a file show its form. */
enum { SH_CODEC_MAGIC = 10 };

#define SH_CODEC_WINDOW      ((size_t)128 << 20) /* default of sh_codec_window(), in bytes */
#define SH_CODEC_WINDOW_NAME "SIMHASH_WINDOW"    /* name of an environment variable */

/* Returns the largest window of a decoder, in bytes: how far back a compressed stream may refer. It
 * is the environment variable if that is a size above 0 (sh_parse_size()), else SH_CODEC_WINDOW. */
size_t sh_codec_window(void);
/* Returns false when the environment variable has a value that sh_codec_window() ignores. */
bool sh_codec_window_valid(void);

enum sh_codec_state {
	SH_CODEC_MORE, /* the frame goes on: give more input, or more room */
	SH_CODEC_END,  /* the frame ended; the decoder is ready for another frame */
	SH_CODEC_BAD,  /* the bytes are damaged, or in another form; or the encoder failed */
	SH_CODEC_WIDE, /* the frame needs a window above sh_codec_window() */
	SH_CODEC_NOMEM,
};

/* A decoder or an encoder. */
struct sh_coder {
	/* Returns the state of a coder, or NULL when memory is short. */
	void *(*start)(void);
	/* Reads bytes of *in and writes at most `room` bytes to *to. Moves *in and *to behind the
	 * bytes that were read and written. end: *in holds the last input; decoders ignore it, and
	 * an encoder returns SH_CODEC_END when all output is written. */
	enum sh_codec_state (*step)(
	    void *coder, struct sh_slice *in, char **to, size_t room, bool end);
	void (*stop)(void *coder);
};

/* The room that each step of an encoder must have. */
enum { SH_CODEC_ROOM = 512 * 1024 };

struct sh_codec {
	const char *name;    /* of the form, such as "gzip" */
	const char *suffix;  /* of file names, such as ".gz"; NULL: nothing encodes the form */
	const char *library; /* such as "zlib" */
	const char *package; /* Debian's, to build with the library; NULL: no library decodes it */
	const char *command; /* such as "gzip -dc", for any window; NULL: no command decodes it */
	/* Returns whether `head` begins with the magic number. NULL: the form has none. */
	bool (*is)(struct sh_slice head);
	struct sh_coder decode, encode; /* without functions: the build lacks the library */
};

/* Returns the form of a file that begins with `head`; NULL when the file is not compressed. All
 * rows are static. */
const struct sh_codec *sh_codec_of(struct sh_slice head);

/* Returns whether a frame of this form is likely to begin here, where its magic number stands amid
 * other bytes. */
bool sh_codec_likely(const struct sh_codec *codec, struct sh_slice head);

/* Returns the form with this name, or NULL. Only this function finds the forms without a magic
 * number, "deflate" and "raw deflate". */
const struct sh_codec *sh_codec_named(const char *name);

/* Returns form i of the forms with a magic number; NULL after the last. The forms with a suffix
 * come first. */
const struct sh_codec *sh_codec_at(unsigned i);

/* Returns whether `head` is too short to show the form: fewer than SH_CODEC_MAGIC bytes, none of
 * which ends a line. */
bool sh_codec_undecided(struct sh_slice head);

/* Fill *err for a form that this build cannot read, and that a magic number shows (SH_ERR_RECORD);
 * or that it cannot write (SH_ERR_PARAM). Return -1. */
int sh_codec_lacking(const struct sh_codec *codec, struct sh_error *err);
int sh_codec_unwritable(const struct sh_codec *codec, struct sh_error *err);

#endif
