/* The header of a file: its first record, which names the columns. All inputs must have the same. */
#ifndef SH_IO_HEADER_H
#define SH_IO_HEADER_H

#include "base/buf.h"
#include "io/csv.h"

struct sh_header {
	bool wanted; /* each file has one; otherwise nothing here is used */
	bool csv;    /* the records are CSV (io/csv.h), and line ends in quotes do not end them */
	/* of the first file, with byte order mark and LF; empty before it was read */
	struct sh_buf first;
	const char *file; /* that file */
};

void sh_header_free(struct sh_header *h);

/* Stores the number of bytes of the header at the front of a file in *n. Keeps the first header. Returns -1 with
 * SH_ERR_RECORD when a later one differs. */
int sh_header_take(
    struct sh_header *h, struct sh_slice all, const char *file, size_t *n, struct sh_error *err);

/* Returns the record at the front, without its LF. Returns all bytes when no LF ends it. */
static inline struct sh_slice sh_record_front(struct sh_slice all, bool csv)
{
	const char *lf = csv || all.n == 0 ? NULL : memchr(all.p, '\n', all.n);

	return sh_slice(all.p, csv  ? sh_csv_record(all.p, all.n)
			       : lf ? (size_t)(lf - all.p)
				    : all.n);
}

/* Returns the first header without byte order mark and LF. */
struct sh_slice sh_header_bare(const struct sh_header *h);

#endif
