/* SPDX-License-Identifier: MIT */
/* Reads one line after the other, for programs that process records in order. A record of CSV
 * counts as one line. The current line is the last result of sh_lines_next(). */
#ifndef SH_IO_LINES_H
#define SH_IO_LINES_H

#include "io/source.h"

struct sh_lines {
	struct sh_source source;
	struct sh_buf chunk;
	struct sh_origin from; /* of the chunk; but from.line is where the current line begins */
	size_t at;             /* bytes of the chunk before the next line */
	size_t start;          /* bytes of the chunk before the current line */
	uint64_t end;          /* number of the line behind the chunk */
	uint64_t ends;         /* line ends of the current line: more than 1 only in CSV */
	bool starts_file;      /* the current line is the first of its file, without a header */
};

void sh_lines_init(struct sh_lines *l, char *const *names, size_t n_names);
void sh_lines_free(struct sh_lines *l);

/* Sets *line to the next line, without its LF. The line is valid until the next call. Returns 1, 0
 * at the end, or -1. */
int sh_lines_next(struct sh_lines *l, struct sh_slice *line, struct sh_error *err);

/* Returns whether the current line ends its chunk. Then sh_lines_next() reads another chunk. */
static inline bool sh_lines_at_end(const struct sh_lines *l)
{
	return l->at == l->chunk.n;
}

/* Returns all lines of the chunk behind the current line. SH_PAD readable bytes follow the lines.
 * The lines are valid until sh_lines_next() reads another chunk. */
static inline struct sh_slice sh_lines_rest(const struct sh_lines *l)
{
	return sh_slice(l->chunk.p + l->at, l->chunk.n - l->at);
}

/* Skips the first n lines of sh_lines_rest(), which have `bytes` bytes together. Not for CSV. */
static inline void sh_lines_skip(struct sh_lines *l, size_t bytes, uint64_t n)
{
	l->at += bytes;
	l->from.line += n;
	l->starts_file = l->starts_file && n == 0;
}

/* Makes the current line the next line again. */
static inline void sh_lines_back(struct sh_lines *l)
{
	l->at = l->start;
	l->ends = 0;
}

/* Appends the next lines of the same file to sh_lines_rest(), which moves. Returns 1; or 0 when
 * sh_lines_next() must read: a trailer, the end of the file or an error comes next, or the source
 * would wait for a slow writer; or -1 when memory is short. Not for CSV. */
int sh_lines_more(struct sh_lines *l, struct sh_error *err);

/* Adds file and number of the current line to the error, unless its code is SH_ERR_IO or
 * SH_ERR_NOMEM: no line causes such an error. Returns -1. */
int sh_lines_blame(const struct sh_lines *l, struct sh_error *err);

#endif
