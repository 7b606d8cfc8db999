/* SPDX-License-Identifier: MIT */
/* Allocates memory in whole pages, for large arrays. A size that is a multiple of 2 MiB gets pages
 * of 2 MiB where the system has them: the first access to each page costs about 2 microseconds. */
#ifndef SH_IO_PAGES_H
#define SH_IO_PAGES_H

#include <stddef.h>

/* Returns zeroed memory, or NULL when memory is short. bytes > 0. */
void *sh_pages_get(size_t bytes);
/* Frees pages; `bytes` is the number given to sh_pages_get(). Does nothing when pages is NULL. */
void sh_pages_put(void *pages, size_t bytes);

#endif
