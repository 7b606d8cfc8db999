/* Finds the ends of CSV records (RFC 4180), whose quoted fields may hold line ends.
 *
 * An LF ends a record when the number of quotes before it in the record is even. This holds for each record that is
 * well-formed: quotes stand around a whole field, and quotes in the field are doubled. */
#ifndef SH_IO_CSV_H
#define SH_IO_CSV_H

#include "base/slice.h"

/* Returns the number of bytes of the record at the front, without its LF. Returns n when no LF ends the record. */
size_t sh_csv_record(const char *p, size_t n);

/* Scans n more bytes. *quoted: an odd number of quotes was scanned; it is updated. Returns the number of bytes up to
 * and including the last LF that ends a record, or 0. */
size_t sh_csv_whole(const char *p, size_t n, bool *quoted);

#endif
