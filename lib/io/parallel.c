/* SPDX-License-Identifier: MIT */
#include "io/parallel.h"

#include <pthread.h>
#include <stdlib.h>

struct tasks {
	size_t n, grain, next;
	sh_tasks_fn *fn;
	pthread_mutex_t lock;
	size_t failed_at; /* SIZE_MAX: none failed */
	struct sh_error err;
};

struct task_thread {
	struct tasks *tasks;
	void *worker;
	pthread_t id;
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

static void *work(void *arg)
{
	struct task_thread *self = arg;
	struct tasks *t = self->tasks;
	struct sh_error err;
	size_t from, to;

	while (next_tasks(t, &from, &to)) {
		if (t->fn(self->worker, from, to, &err) == 0)
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
	struct tasks t = { .n = n, .grain = grain, .fn = fn, .failed_at = SIZE_MAX };
	struct task_thread *threads = calloc(n_workers, sizeof *threads);
	char *worker = workers;
	unsigned started = 0;

	if (!threads)
		return sh_error_nomem(err);
	pthread_mutex_init(&t.lock, NULL);
	for (unsigned i = 0; i < n_workers; i++)
		threads[i] = (struct task_thread){ .tasks = &t, .worker = worker + i * size };
	/* The calling thread works, too: all tasks are processed even when no thread starts. */
	while (started + 1 < n_workers && n > grain &&
	       pthread_create(&threads[started + 1].id, NULL, work, &threads[started + 1]) == 0)
		started++;
	work(&threads[0]);
	for (unsigned i = 1; i <= started; i++)
		pthread_join(threads[i].id, NULL);
	pthread_mutex_destroy(&t.lock);
	free(threads);
	if (t.failed_at == SIZE_MAX)
		return 0;
	*err = t.err;
	return -1;
}
