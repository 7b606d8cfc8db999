#include "io/parallel.h"

#include <pthread.h>
#include <stdlib.h>

struct tasks {
	size_t n, stretch, next;
	sh_tasks_fn *fn;
	pthread_mutex_t lock;
	size_t failed_at; /* SIZE_MAX: none failed */
	struct sh_error err;
};

struct seat {
	struct tasks *tasks;
	void *worker;
	pthread_t thread;
};

static int take(struct tasks *t, size_t *from, size_t *to)
{
	int more;

	pthread_mutex_lock(&t->lock);
	*from = t->next;
	*to = t->n - *from < t->stretch ? t->n : *from + t->stretch;
	more = *from < *to && t->failed_at == SIZE_MAX;
	if (more)
		t->next = *to;
	pthread_mutex_unlock(&t->lock);
	return more;
}

static void *work(void *arg)
{
	struct seat *seat = arg;
	struct tasks *t = seat->tasks;
	struct sh_error err;
	size_t from, to;

	while (take(t, &from, &to)) {
		if (t->fn(seat->worker, from, to, &err) == 0)
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

int sh_parallel(void **workers, unsigned n_workers, size_t n, size_t stretch, sh_tasks_fn *fn,
    struct sh_error *err)
{
	struct tasks t = { .n = n, .stretch = stretch, .fn = fn, .failed_at = SIZE_MAX };
	struct seat *seats = calloc(n_workers, sizeof *seats);
	unsigned started = 0;

	if (!seats)
		return sh_error_nomem(err);
	pthread_mutex_init(&t.lock, NULL);
	for (unsigned i = 0; i < n_workers; i++)
		seats[i] = (struct seat){ .tasks = &t, .worker = workers[i] };
	/* This thread works, too: those that cannot be started are not missed. */
	while (started + 1 < n_workers && n > stretch &&
	       pthread_create(&seats[started + 1].thread, NULL, work, &seats[started + 1]) == 0)
		started++;
	work(&seats[0]);
	for (unsigned i = 1; i <= started; i++)
		pthread_join(seats[i].thread, NULL);
	pthread_mutex_destroy(&t.lock);
	free(seats);
	if (t.failed_at == SIZE_MAX)
		return 0;
	*err = t.err;
	return -1;
}
