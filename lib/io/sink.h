/* An output: buffered, every failure told, a named file whole or not at all.
 *
 * A named file is written beside its place under a temporary name, then synced and
 * renamed by sh_sink_close(); before that nobody sees it. What exists and is no regular
 * file (a FIFO, /dev/full) is written straight, and so is what is open already (/dev/stdout). */
#ifndef SH_IO_SINK_H
#define SH_IO_SINK_H

#include "io/trailer.h"

struct sh_sink {
	int fd;
	const char *name; /* as messages say it */
	char *target;     /* where tmp is to be renamed to; NULL when written straight */
	char *tmp;        /* owned */
	struct sh_buf buf;
	bool trailer; /* set after opening: sh_sink_close() ends it with a trailer, see trailer.h */
	struct sh_summer summer;
};

/* path NULL or "-": standard output. The path must outlive the sink. */
int sh_sink_open(struct sh_sink *s, const char *path, struct sh_error *err);

int sh_sink_write(struct sh_sink *s, const void *p, size_t n, struct sh_error *err);

/* The same for whole lines whose sum is known, behind whole lines. */
int sh_sink_write_lines(
    struct sh_sink *s, const void *p, size_t n, const struct sh_sum *sum, struct sh_error *err);
int sh_sink_flush(struct sh_sink *s, struct sh_error *err);

/* Flush, sync, close, rename: only after it returned 0 is the output there. Frees the sink. */
int sh_sink_close(struct sh_sink *s, struct sh_error *err);

/* Forget the output: a named file is as it was before. Frees the sink. */
void sh_sink_abort(struct sh_sink *s);

/* The sink's buffer, for formatting straight into it: room for `need` bytes at the
 * returned place, or NULL with *err. Tell how many were used with sh_sink_used(). */
char *sh_sink_room(struct sh_sink *s, size_t need, struct sh_error *err);

static inline void sh_sink_used(struct sh_sink *s, size_t n)
{
	s->buf.n += n;
}

#endif
