/* SPDX-License-Identifier: MIT */
/* Several threads process a range of numbered tasks.
 *
 * A free thread gets the next `grain` tasks. Any thread may get any task, so the result of a task
 * must depend on its number alone. The calling thread is one of the workers. When the system
 * refuses a thread, fewer threads process all tasks. */
#ifndef SH_IO_PARALLEL_H
#define SH_IO_PARALLEL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Processes the tasks from .. to-1 with the state of one worker. Returns 0, or -1 with *err. */
typedef int sh_tasks_fn(void *worker, size_t from, size_t to, struct sh_error *err);

/* Processes the tasks 0 .. n-1, at most `grain` >= 1 tasks in a call of fn. workers: an array of
 * n_workers >= 1 states of `size` bytes each; size 0: all threads share the state at `workers`.
 * Begins no further tasks after a failure. Returns 0; or -1 with the error of the failed call of
 * the lowest tasks, or when memory is short. */
int sh_parallel(void *workers, size_t size, unsigned n_workers, size_t n, size_t grain,
    sh_tasks_fn *fn, struct sh_error *err);

#endif
