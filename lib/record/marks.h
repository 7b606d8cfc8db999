/* SPDX-License-Identifier: MIT */
/* Finds marks: TABs and LFs of records, and on request blanks and backslashes. Lines can then be
 * split independently of each other. */
#ifndef SH_RECORD_MARKS_H
#define SH_RECORD_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SH_MARKS_SLACK = 16 }; /* bytes that sh_marks_find() may read behind the text */

/* Writes the offsets of all marks among n < 2^32 bytes to mark[], ascending. Returns the number of
 * marks. When *blanks is true, blanks and backslashes are marks, too, and the call sets *blanks to
 * false when the text has none. */
size_t sh_marks_find(const char *p, size_t n, bool *blanks, uint32_t *mark);

#endif
