/* SPDX-License-Identifier: MIT */
/* Finds and counts lines. */
#ifndef SH_IO_NEWLINES_H
#define SH_IO_NEWLINES_H

#include "base/slice.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the number of LFs among n bytes. */
uint64_t sh_count_newlines(const char *p, size_t n);

/* Returns the line that ends before p[end], end >= 1, without its LF. */
struct sh_slice sh_line_before(const char *p, size_t end);

#endif
