/* SPDX-License-Identifier: MIT */
/* The header of a file: its first record, which names the columns. All inputs have one header. */
#ifndef SH_IO_HEADER_H
#define SH_IO_HEADER_H

#include "base/buf.h"
#include "io/newlines.h"

struct sh_header {
	bool wanted; /* each file has a header; false: nothing here is used */
	bool csv;    /* records are CSV (io/newlines.h): line ends in quotes end no record */
	/* The first header, with byte order mark, the lines before it, and LF; empty at first. */
	struct sh_buf first;
	size_t before;    /* bytes of `first` before the header itself */
	char delimiter;   /* named by the line "sep=;" before the first header; 0: none */
	const char *file; /* name of the first file; borrowed */
};

void sh_header_free(struct sh_header *h);

/* Sets *n to the bytes of the header, with its LF, at the beginning of a file. Keeps the first
 * header. SH_ERR_RECORD: a later header differs in more than byte order mark and line end. */
int sh_header_check(
    struct sh_header *h, struct sh_slice all, const char *file, size_t *n, struct sh_error *err);

/* Returns the bytes of the header at the beginning of a file, with its LF and the lines before it.
 * Sets *before to the bytes before the header itself: byte order mark, blank lines, and in CSV the
 * line "sep=;" that Excel reads, whose delimiter it sets, or 0. */
size_t sh_header_front(struct sh_slice all, bool csv, size_t *before, char *delimiter);

/* Returns the first header without LF and the bytes before it. */
struct sh_slice sh_header_bare(const struct sh_header *h);

#endif
