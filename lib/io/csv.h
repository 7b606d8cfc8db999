/* SPDX-License-Identifier: MIT */
/* Finds the ends of CSV records (RFC 4180). Quoted fields may hold line ends.
 *
 * An LF ends a record when the number of quotes before the LF in the record is even. This holds for
 * well-formed records: quotes stand around a whole field, and quotes in a field are doubled. */
#ifndef SH_IO_CSV_H
#define SH_IO_CSV_H

#include "base/slice.h"

/* Returns the bytes of the first record, without its LF. Returns n when no LF ends the record.
 * quoted: p is within a record, behind an odd number of quotes. */
size_t sh_csv_record(const char *p, size_t n, bool quoted);

/* Scans n more bytes. Updates *quoted: the number of quotes scanned so far is odd; false at first.
 * Returns the number of bytes up to and including the last LF that ends a record, or 0. */
size_t sh_csv_whole(const char *p, size_t n, bool *quoted);

#endif
