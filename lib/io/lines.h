/* One line after the other, for programs that work on records in order. */
#ifndef SH_IO_LINES_H
#define SH_IO_LINES_H

#include "io/source.h"

struct sh_lines {
	struct sh_source source;
	struct sh_buf block;
	struct sh_origin from; /* of the block; from.line: of the line last returned */
	size_t at;
	bool starts_file; /* the line last returned is the first of its file */
};

void sh_lines_init(struct sh_lines *l, char *const *names, size_t n_names);
void sh_lines_free(struct sh_lines *l);

/* The next line without its LF, valid until the next call: 1, 0 at the end, -1. */
int sh_lines_next(struct sh_lines *l, struct sh_slice *line, struct sh_error *err);

/* Whether the next line is still to be read from the source. */
static inline bool sh_lines_at_end(const struct sh_lines *l)
{
	return l->at == l->block.n;
}

/* What is still to be read of the block that the last line came from; SH_PAD bytes behind
 * it may be read. Valid until the next line. */
static inline struct sh_slice sh_lines_rest(const struct sh_lines *l)
{
	return sh_slice(l->block.p + l->at, l->block.n - l->at);
}

/* So many bytes of it, which are n lines, were read: as if sh_lines_next() had returned
 * each of them. */
static inline void sh_lines_skip(struct sh_lines *l, size_t bytes, uint64_t n)
{
	l->at += bytes;
	l->from.line += n;
	l->starts_file = l->starts_file && n == 0;
}

/* Put the place of the line last returned into err, which tells already what is wrong; -1.
 * A full disk or want of memory is no fault of a line. */
int sh_lines_blame(const struct sh_lines *l, struct sh_error *err);

#endif
