/* A buffered output that reports every failure. A named file appears complete or not at all.
 *
 * A named file is written beside its place under a temporary name. sh_sink_close() syncs and renames it;
 * before that the new content is not visible. A path that leads to no regular file (a FIFO, /dev/full) is
 * written directly, and so is an open descriptor (/dev/stdout). */
#ifndef SH_IO_SINK_H
#define SH_IO_SINK_H

#include "io/compress.h"
#include "io/trailer.h"

struct sh_sink {
	int fd;
	const char *name; /* for messages */
	char *target;     /* the path that tmp is renamed to; NULL when written directly; owned */
	char *tmp;        /* the temporary name, or NULL; owned */
	struct sh_buf buf;
	/* set after opening: sh_sink_close() writes a trailer (trailer.h) at the end */
	bool trailer;
	struct sh_summer summer;
	struct sh_compress packed; /* see sh_sink_compress() */
};

/* Opens standard output when path is NULL or "-". The path must outlive the sink. */
int sh_sink_open(struct sh_sink *s, const char *path, struct sh_error *err);

/* Compresses all bytes that are written from here on. Call it right after opening. */
int sh_sink_compress(struct sh_sink *s, const struct sh_compressor *form, struct sh_error *err);

int sh_sink_write(struct sh_sink *s, const void *p, size_t n, struct sh_error *err);

/* Writes whole lines whose sum is known. Everything written before must also be whole lines. */
int sh_sink_write_lines(
    struct sh_sink *s, const void *p, size_t n, const struct sh_sum *sum, struct sh_error *err);
int sh_sink_flush(struct sh_sink *s, struct sh_error *err);

/* Flushes, syncs, closes and renames. The output exists only when this returned 0. Frees the sink. */
int sh_sink_close(struct sh_sink *s, struct sh_error *err);

/* Drops the output: a named file stays as it was. Frees the sink. */
void sh_sink_abort(struct sh_sink *s);

/* Returns a place in the sink's buffer with room for `need` bytes, or NULL with *err. The caller writes
 * there and calls sh_sink_used() with the number of bytes written. */
char *sh_sink_room(struct sh_sink *s, size_t need, struct sh_error *err);

static inline void sh_sink_used(struct sh_sink *s, size_t n)
{
	s->buf.n += n;
}

#endif
