/* SPDX-License-Identifier: MIT */
/* A buffered output that reports every failure. A named file appears complete or not at all.
 *
 * A named file is written in its folder under a temporary name. sh_sink_close() syncs and renames
 * the file. FIFOs, devices, and open descriptors such as /dev/stdout are written directly. */
#ifndef SH_IO_SINK_H
#define SH_IO_SINK_H

#include "io/codec.h"
#include "io/trailer.h"

struct sh_sink {
	int fd;
	const char *name; /* for messages */
	char *own_name;   /* NULL: the caller keeps the name */
	bool durable;     /* sh_sink_close() syncs the file */
	char *target;     /* the path that tmp is renamed to; NULL: written directly; owned */
	char *tmp;        /* the temporary name; NULL: written directly; owned */
	struct sh_buf buf;
	/* Set before the first write. crlf has no effect without trailer. */
	bool trailer;      /* sh_sink_close() writes a trailer; an unfinished line is not flushed */
	bool crlf;         /* the checksum of a line leaves out its CR */
	struct sh_sum sum; /* of the flushed lines */
	size_t unfinished; /* the first bytes of buf that are known to have no LF */
	const struct sh_codec *form; /* see sh_sink_compress(); NULL: not compressed */
	void *encoder;
	struct sh_buf packed; /* the output of a step of the encoder */
};

/* Opens standard output when path is NULL or "-". The path must outlive the sink. */
int sh_sink_open(struct sh_sink *s, const char *path, struct sh_error *err);

/* Writes to the new file fd. sh_sink_close() syncs the file. Takes fd and the name, which free()
 * frees. */
void sh_sink_take(struct sh_sink *s, int fd, char *name);

/* Compresses the output. Call it before the first write. SH_ERR_PARAM: the build lacks the form. */
int sh_sink_compress(struct sh_sink *s, const struct sh_codec *form, struct sh_error *err);

/* Writes n bytes, perhaps into the buffer only. p may be NULL when n is 0. */
int sh_sink_write(struct sh_sink *s, const void *p, size_t n, struct sh_error *err);

/* Writes the buffered bytes to the descriptor, without a sync. */
int sh_sink_flush(struct sh_sink *s, struct sh_error *err);

/* Writes the buffered bytes and syncs the file. */
int sh_sink_sync(struct sh_sink *s, struct sh_error *err);

/* Flushes, syncs, closes and renames. Returns 0; or -1, and a named file stays as it was unless
 * only the sync of its folder failed. Frees the sink. */
int sh_sink_close(struct sh_sink *s, struct sh_error *err);

/* Drops the output: a named file stays as it was, and a file of sh_sink_take() stays, perhaps
 * incomplete. Frees the sink. Does nothing with a zeroed struct. */
void sh_sink_abort(struct sh_sink *s);

/* Returns room for `need` bytes behind s->buf, or NULL with *err. Instead of a call of
 * sh_sink_write(), the caller appends at most `need` bytes to s->buf. */
char *sh_sink_room(struct sh_sink *s, size_t need, struct sh_error *err);

#endif
