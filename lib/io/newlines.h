/* SPDX-License-Identifier: MIT */
/* Finds and counts lines, and records of CSV (RFC 4180), whose quoted fields may hold line ends.
 *
 * In CSV an LF ends a record when the number of quotes before the LF in the record is even. This
 * holds for well-formed records: quotes stand around a whole field, and quotes in a field are
 * doubled. */
#ifndef SH_IO_NEWLINES_H
#define SH_IO_NEWLINES_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns the number of LFs among n bytes. */
uint64_t sh_count_newlines(const char *p, size_t n);

/* Returns the line that ends before p[end], end >= 1, without its LF. */
struct sh_slice sh_line_before(const char *p, size_t end);

/* Returns the bytes of the first record, without its LF. Returns n when no LF ends the record.
 * quoted: p is within a record, behind an odd number of quotes. */
size_t sh_csv_record(const char *p, size_t n, bool quoted);

/* Scans n more bytes. Updates *quoted: the number of quotes scanned so far is odd; false at first.
 * Returns the number of bytes up to and including the last LF that ends a record, or 0. */
size_t sh_csv_whole(const char *p, size_t n, bool *quoted);

/* Returns the first record, without its LF. Returns all bytes when no LF ends the record. */
static inline struct sh_slice sh_record_front(struct sh_slice all, bool csv)
{
	const char *lf = csv || all.n == 0 ? NULL : memchr(all.p, '\n', all.n);

	return sh_slice(all.p, csv  ? sh_csv_record(all.p, all.n, false)
			       : lf ? (size_t)(lf - all.p)
				    : all.n);
}

#endif
