/* SPDX-License-Identifier: MIT */
/* Tables of named rows: static arrays of structs whose first member is the row's name. The caller
 * converts the result to the type of its rows.
 *
 *     return sh_row_find(SH_ROWS(rows), name); */
#ifndef SH_BASE_ROWS_H
#define SH_BASE_ROWS_H

#include <stddef.h>
#include <string.h>

/* An array as arguments: its address, the number of rows, the bytes of a row. */
#define SH_ROWS(array) (array), sizeof(array) / sizeof *(array), sizeof *(array)

/* Returns row i, or NULL when i >= n. */
static inline const void *sh_row_at(const void *rows, size_t n, size_t size, size_t i)
{
	return i < n ? (const char *)rows + i * size : NULL;
}

/* Returns the first row whose name equals `name`, case included; NULL when there is none. */
static inline const void *sh_row_find(const void *rows, size_t n, size_t size, const char *name)
{
	const char *const *row;

	for (size_t i = 0; (row = sh_row_at(rows, n, size, i)); i++)
		if (strcmp(*row, name) == 0)
			return row;
	return NULL;
}

#endif
