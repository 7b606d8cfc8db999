/* A range of numbered tasks, worked on by several threads.
 *
 * Tasks are handed out in stretches, in order; which thread gets which is left to chance, so a
 * task must depend on its number alone. With one worker no thread is started. */
#ifndef SH_IO_PARALLEL_H
#define SH_IO_PARALLEL_H

#include "base/error.h"

#include <stddef.h>

/* Tasks from .. to-1 with one worker's own state; 0, or -1 with *err. */
typedef int sh_tasks_fn(void *worker, size_t from, size_t to, struct sh_error *err);

/* Tasks 0 .. n-1, at most `stretch` at a time. After a failure no further ones are begun; of
 * several the one with the lowest number is told. */
int sh_parallel(void **workers, unsigned n_workers, size_t n, size_t stretch, sh_tasks_fn *fn,
    struct sh_error *err);

#endif
