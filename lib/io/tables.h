/* SPDX-License-Identifier: MIT */
/* Arrays that may be larger than memory.
 *
 * The arrays of one struct sh_tables share a limit of memory. An array that would exceed the limit
 * is moved to a temporary file without a name, which is mapped. The functions reserve the space of
 * the file: a full disk is an error of these functions, not a signal when the array is used.
 *
 * One thread at a time may call these functions. Any thread may use the arrays. */
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
	size_t memory; /* most bytes of all arrays in memory together */
	size_t used;   /* bytes of the arrays in memory */
	const char *dir;
	struct sh_table *table;
	size_t n, cap;
};

/* memory: the limit in bytes. dir: the folder of temporary files, as for sh_spill_folder(). A
 * zeroed struct is ready, with the limit 0. */
void sh_tables_init(struct sh_tables *all, size_t memory, const char *dir);
/* Frees all arrays. */
void sh_tables_free(struct sh_tables *all);

/* Lowers the limit by memory that the caller uses itself, at most to the memory of the arrays. */
void sh_tables_charge(struct sh_tables *all, size_t bytes);

/* `all` may be NULL in the functions below. They then use malloc() and free(), without a limit. */

/* Returns an array of n elements of `size` bytes, with all bytes 0. Returns NULL with *err on
 * failure. */
void *sh_tables_get(struct sh_tables *all, size_t n, size_t size, struct sh_error *err);
/* Frees an array. Does nothing when p is NULL. */
void sh_tables_put(struct sh_tables *all, void *p);

/* Grows an array as sh_grow() does (base/buf.h). *array may be NULL. */
int sh_tables_grow(struct sh_tables *all, void **array, size_t *cap, size_t want, size_t size,
    struct sh_error *err);
/* Calls sh_tables_grow() when cap is less than `want`. */
#define SH_TABLES_RESERVE(all, array, cap, want, err)                                              \
	((want) <= (cap)                                                                           \
		? 0                                                                                \
		: sh_tables_grow(all, (void **)&(array), &(cap), want, sizeof *(array), err))

/* Returns zeroed memory whose unused pages need no memory: calloc() might write to them. Returns
 * NULL when memory is short. */
void *sh_pages_get(size_t bytes);
/* Frees the memory of sh_pages_get(bytes). Does nothing when pages is NULL. */
void sh_pages_put(void *pages, size_t bytes);

#endif
