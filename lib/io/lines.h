/* Reads one line after the other, for programs that process records in order. */
#ifndef SH_IO_LINES_H
#define SH_IO_LINES_H

#include "io/source.h"

struct sh_lines {
	struct sh_source source;
	struct sh_buf chunk;
	struct sh_origin from; /* of the chunk, but from.line is the number of the last line */
	size_t at;             /* offset in the chunk of the next line */
	uint64_t last;         /* lines that the last record has: more than 1 in CSV only */
	bool starts_file;      /* the last line is the first of its file */
};

void sh_lines_init(struct sh_lines *l, char *const *names, size_t n_names);
void sh_lines_free(struct sh_lines *l);

/* Sets *line to the next line without its LF. It is valid until the next call. Returns 1, 0 at the end, or
 * -1. In the comments below, it is the last line. */
int sh_lines_next(struct sh_lines *l, struct sh_slice *line, struct sh_error *err);

/* Returns whether the last line ends its chunk: the next call reads from the source. */
static inline bool sh_lines_at_end(const struct sh_lines *l)
{
	return l->at == l->chunk.n;
}

/* Returns the lines that follow the last line in its chunk. SH_PAD readable bytes follow them. They are valid
 * until the next line. */
static inline struct sh_slice sh_lines_rest(const struct sh_lines *l)
{
	return sh_slice(l->chunk.p + l->at, l->chunk.n - l->at);
}

/* Skips the first n lines of sh_lines_rest(), which have `bytes` bytes, as n calls of sh_lines_next()
 * would. */
static inline void sh_lines_skip(struct sh_lines *l, size_t bytes, uint64_t n)
{
	l->at += bytes;
	l->from.line += n;
	l->starts_file = l->starts_file && n == 0;
}

/* Adds file and number of the last line to the error. SH_ERR_IO and SH_ERR_NOMEM stay without a place: the
 * line is not their cause. Returns -1. */
int sh_lines_blame(const struct sh_lines *l, struct sh_error *err);

#endif
