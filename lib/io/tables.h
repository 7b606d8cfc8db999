/* Arrays that may be larger than memory.
 *
 * Those of one struct sh_tables share an amount of memory. One that would exceed it is put into
 * a temporary file without a name instead, and mapped: it is used as any other array, and the
 * system keeps of it in memory what fits there. Blocks of the file are reserved when the array
 * grows, so that a full disk is an error told here, not a signal later.
 *
 * One thread at a time may get, grow and put; any may use the arrays. */
#ifndef SH_IO_TABLES_H
#define SH_IO_TABLES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct sh_table {
	void *p;
	size_t bytes;
	int fd; /* -1: in memory */
};

struct sh_tables {
	size_t memory; /* for all arrays together */
	size_t used;   /* of it */
	const char *dir;
	struct sh_table *table;
	size_t n, cap;
};

/* dir: for the files, NULL the default. */
void sh_tables_init(struct sh_tables *all, size_t memory, const char *dir);
/* Give all arrays back. A zeroed one is without arrays, and without memory for any. */
void sh_tables_free(struct sh_tables *all);

/* An array of n elements, not initialised; NULL with *err. Without tables (NULL) it is
 * allocated as others are, and so with the functions below. */
void *sh_tables_get(struct sh_tables *all, size_t n, size_t size, struct sh_error *err);
/* All bytes 0. */
void *sh_tables_get_zeroed(struct sh_tables *all, size_t n, size_t size, struct sh_error *err);
/* Give one back; NULL is none. */
void sh_tables_put(struct sh_tables *all, void *p);

/* As sh_grow(). *array may be NULL, to begin with. */
int sh_tables_grow(struct sh_tables *all, void **array, size_t *cap, size_t want, size_t size,
    struct sh_error *err);

#endif
