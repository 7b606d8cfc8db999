/* Several threads process a range of numbered tasks.
 *
 * A thread that is free gets the next tasks, `grain` of them. Any thread may get any task, so the result of
 * a task must depend on its number alone. With one worker no thread is started. */
#ifndef SH_IO_PARALLEL_H
#define SH_IO_PARALLEL_H

#include "base/error.h"

#include <stddef.h>

/* Processes the tasks from .. to-1 with the state of one worker. Returns 0, or -1 with *err. */
typedef int sh_tasks_fn(void *worker, size_t from, size_t to, struct sh_error *err);

/* Processes the tasks 0 .. n-1, at most `grain` in a call of fn. workers: an array of the states of n_workers threads,
 * `size` bytes each; size 0: all threads share one state. Begins no further tasks after a failure. Returns 0, or -1
 * with the error of the failed call that has the lowest tasks. */
int sh_parallel(void *workers, size_t size, unsigned n_workers, size_t n, size_t grain,
    sh_tasks_fn *fn, struct sh_error *err);

#endif
