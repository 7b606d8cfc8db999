/* SPDX-License-Identifier: MIT */
#include "io/parallel.h"

#include <pthread.h>
#include <stdlib.h>

struct tasks {
	size_t n, grain, next;
	sh_tasks_fn *fn;
	char *worker; /* the state of the next thread; the states have `size` bytes */
	size_t size;
	pthread_mutex_t lock; /* of `next`, `worker` and the fields below */
	size_t failed_at;     /* SIZE_MAX: none failed */
	struct sh_error err;
};

/* Sets *from and *to to the next tasks. Returns 0 when no task is left or a task has failed. */
static int next_tasks(struct tasks *t, size_t *from, size_t *to)
{
	int more;

	pthread_mutex_lock(&t->lock);
	*from = t->next;
	*to = t->n - *from < t->grain ? t->n : *from + t->grain;
	more = *from < *to && t->failed_at == SIZE_MAX;
	if (more)
		t->next = *to;
	pthread_mutex_unlock(&t->lock);
	return more;
}

static void *work(void *tasks)
{
	struct tasks *t = tasks;
	struct sh_error err;
	size_t from, to;
	void *worker;

	pthread_mutex_lock(&t->lock);
	worker = t->worker;
	t->worker += t->size;
	pthread_mutex_unlock(&t->lock);
	while (next_tasks(t, &from, &to)) {
		if (t->fn(worker, from, to, &err) == 0)
			continue;
		pthread_mutex_lock(&t->lock);
		if (from < t->failed_at) {
			t->failed_at = from;
			t->err = err;
		}
		pthread_mutex_unlock(&t->lock);
	}
	return NULL;
}

int sh_parallel(void *workers, size_t size, unsigned n_workers, size_t n, size_t grain,
    sh_tasks_fn *fn, struct sh_error *err)
{
	struct tasks t = {
		.n = n,
		.grain = grain,
		.fn = fn,
		.worker = workers,
		.size = size,
		.failed_at = SIZE_MAX,
	};
	pthread_t *threads = calloc(n_workers, sizeof *threads);
	unsigned started = 0;

	if (!threads)
		return sh_error_nomem(err);
	pthread_mutex_init(&t.lock, NULL);
	/* The calling thread works, too: all tasks are processed even when no thread starts. */
	while (started + 1 < n_workers && n > grain &&
	       pthread_create(&threads[started], NULL, work, &t) == 0)
		started++;
	work(&t);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&t.lock);
	free(threads);
	if (t.failed_at == SIZE_MAX)
		return 0;
	*err = t.err;
	return -1;
}
