#include "pair/dedup_state.h"

#include <pthread.h>

#include "io/parallel.h"
#include "pair/join.h"

enum {
	/* Bytes a fingerprint in a join: numbers and words of both sides, and of their room. */
	SELF_BYTES = 2 * 12,
	CROSS_BYTES = 3 * 12,
	/* So many fingerprints are not worth a second thread. */
	FEW_NODES = 1 << 16,
};

static int add_hits(struct sh_dedup *d, const struct sh_hit *hit, size_t n, size_t a_from,
    size_t b_from, struct sh_error *err)
{
	for (; n; n--, hit++) {
		const uint32_t *x = d->node + a_from + hit->a, *y = d->node + b_from + hit->b;

		for (uint32_t a = x[0]; a < x[1]; a++)
			for (uint32_t b = y[0]; b < y[1]; b++)
				if (sh_candidates_add(d, a, b, hit->distance, err) < 0)
					return -1;
	}
	return 0;
}

/* Different sets that have one fingerprint. */
int sh_dedup_join_equal(struct sh_dedup *d, struct sh_error *err)
{
	for (size_t node = 0; node < d->n_nodes; node++)
		for (uint32_t a = d->node[node]; a < d->node[node + 1]; a++)
			for (uint32_t b = a + 1; b < d->node[node + 1]; b++)
				if (sh_candidates_add(d, a, b, 0, err) < 0)
					return -1;
	return 0;
}

/* The nodes in parts, each joined with itself and each later one: tasks of their own, for several
 * threads, and small enough for the memory. */
struct sh_dedup_parts {
	struct sh_dedup *dedup;
	size_t n, size;
	pthread_mutex_t lock; /* on what becomes of hits */
};

/* One task. */
struct part_pair {
	struct sh_dedup_parts *parts;
	size_t a_from, b_from;
};

static int take_hits(void *arg, const struct sh_hit *hit, size_t n, struct sh_error *err)
{
	struct part_pair *p = arg;
	int status;

	pthread_mutex_lock(&p->parts->lock);
	status = add_hits(p->parts->dedup, hit, n, p->a_from, p->b_from, err);
	pthread_mutex_unlock(&p->parts->lock);
	return status;
}

static size_t part_size(const struct sh_dedup_parts *p, size_t from)
{
	size_t left = p->dedup->n_nodes - from;

	return left < p->size ? left : p->size;
}

/* Task t of n * n: the pairs of different parts first, for they take longer. */
static int join_parts(struct sh_dedup_worker *w, size_t t, struct sh_error *err)
{
	struct sh_dedup *d = w->dedup;
	struct sh_dedup_parts *p = d->parts;
	size_t n = p->n, a = t < n * (n - 1) ? t / (n - 1) : t - n * (n - 1),
	       b = t < n * (n - 1) ? a + 1 + t % (n - 1) : a;
	struct part_pair pair = { p, a * p->size, b * p->size };
	const uint64_t *x = d->node_fp + pair.a_from * d->words,
		       *y = d->node_fp + pair.b_from * d->words;

	if (b >= n)
		return 0;
	if (!w->join)
		w->join = sh_join_new(d->opts.bits, d->opts.k, NULL, err);
	if (!w->join)
		return -1;
	if (a == b)
		return sh_join_self(w->join, x, part_size(p, pair.a_from), take_hits, &pair, err);
	return sh_join_cross(w->join, x, part_size(p, pair.a_from), y, part_size(p, pair.b_from),
	    take_hits, &pair, err);
}

static int join_tasks(void *worker, size_t from, size_t to, struct sh_error *err)
{
	for (size_t t = from; t < to; t++)
		if (join_parts(worker, t, err) < 0)
			return -1;
	return 0;
}

static size_t parts_for(const struct sh_dedup *d)
{
	size_t jobs = d->n_nodes < FEW_NODES ? 1 : d->opts.jobs, share = d->opts.memory / jobs,
	       most = share / CROSS_BYTES + 1, n;

	if (jobs == 1 && d->n_nodes <= share / SELF_BYTES)
		return 1;
	n = (d->n_nodes + most - 1) / most;
	return n > jobs ? n : jobs;
}

static void delete_joins(struct sh_dedup *d)
{
	for (unsigned i = 0; i < d->opts.jobs; i++) {
		sh_join_delete(d->worker[i].join);
		d->worker[i].join = NULL;
	}
}

int sh_dedup_join_near(struct sh_dedup *d, struct sh_error *err)
{
	struct sh_dedup_parts p = { .dedup = d, .n = parts_for(d) };
	int status;

	p.size = (d->n_nodes + p.n - 1) / p.n;
	/* Rounded up, they may be fewer. */
	p.n = p.size ? (d->n_nodes + p.size - 1) / p.size : 0;
	pthread_mutex_init(&p.lock, NULL);
	d->parts = &p;
	status =
	    sh_parallel(d->workers, p.n == 1 ? 1 : d->opts.jobs, p.n * p.n, 1, join_tasks, err);
	d->parts = NULL;
	pthread_mutex_destroy(&p.lock);
	delete_joins(d);
	return status;
}
