/* SPDX-License-Identifier: MIT */
/* Reads one line after the other, for programs that process records in order. A record of CSV
 * counts as one line. The current line is the last result of sh_lines_next(). */
#ifndef SH_IO_LINES_H
#define SH_IO_LINES_H

#include "io/source.h"

struct sh_lines {
	struct sh_source source;
	bool held;             /* there is a current line, which the source has not passed */
	struct sh_slice chunk; /* the lines that the last read brought */
	struct sh_origin from; /* file, and number of the current line; lines: of the chunk */
	bool starts_file;      /* the current line is the first of its file, without a header */
};

void sh_lines_init(struct sh_lines *l, char *const *names, size_t n_names);
void sh_lines_free(struct sh_lines *l);

/* Sets *line to the next line, without its LF. The line is valid until the next call. Returns 1, 0
 * at the end, or -1. */
int sh_lines_next(struct sh_lines *l, struct sh_slice *line, struct sh_error *err);

/* Returns whether no line is ready behind the current one. Then sh_lines_next() reads. */
static inline bool sh_lines_at_end(const struct sh_lines *l)
{
	return !l->held || l->source.first == l->source.whole;
}

/* Adds file and number of the current line to the error, unless its code is SH_ERR_IO or
 * SH_ERR_NOMEM: no line causes such an error. Returns -1. */
int sh_lines_blame(const struct sh_lines *l, struct sh_error *err);

#endif
