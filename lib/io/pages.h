/* Allocates memory in whole pages, for large arrays. The first access to each page costs about 2
 * microseconds. So sizes that are multiples of 2 MiB get pages of 2 MiB where the system has them. */
#ifndef SH_IO_PAGES_H
#define SH_IO_PAGES_H

#include <stddef.h>

/* Returns zeroed memory, or NULL when memory is short. */
void *sh_pages_get(size_t bytes);
/* Frees pages; `bytes` is the number given to sh_pages_get(). Does nothing when pages is NULL. */
void sh_pages_put(void *pages, size_t bytes);

#endif
