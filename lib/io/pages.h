/* Memory in whole pages, for much that is filled from its begin on: of two megabytes and more in pages
 * of two megabytes where the system has them, for each page met first costs some 2 microseconds. */
#ifndef SH_IO_PAGES_H
#define SH_IO_PAGES_H

#include <stddef.h>

/* All bytes 0; NULL when there is none. */
void *sh_pages_get(size_t bytes);
/* Of the same number of bytes; NULL is none. */
void sh_pages_put(void *pages, size_t bytes);

#endif
