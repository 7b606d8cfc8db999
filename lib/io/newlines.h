/* Counts LFs, for the line numbers of chunks. */
#ifndef SH_IO_NEWLINES_H
#define SH_IO_NEWLINES_H

#include <stddef.h>
#include <stdint.h>

/* Returns the number of LFs among n bytes. */
uint64_t sh_count_newlines(const char *p, size_t n);

#endif
