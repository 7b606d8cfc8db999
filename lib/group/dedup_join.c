#include "group/dedup_state.h"

#include <pthread.h>

#include "io/parallel.h"
#include "join/join.h"

enum {
	/* Bytes a fingerprint in a join: numbers and words of both sides, and of their room. */
	SELF_BYTES = 2 * 12,
	CROSS_BYTES = 3 * 12,
	/* So many fingerprints are not worth a second thread. */
	FEW_NODES = 1 << 16,
};

/* The nodes in parts, each joined with itself and each later one, or with all of another subset:
 * tasks of their own, for several threads, and small enough for the memory. */
struct side {
	const struct sh_subset *subset;
	size_t n, size;
};

struct sh_dedup_parts {
	struct sh_dedup *dedup;
	struct side a, b;     /* b: without a subset, a is joined with itself */
	pthread_mutex_t lock; /* on what becomes of hits */
};

/* One task. */
struct part_pair {
	struct sh_dedup_parts *parts;
	const struct sh_subset *a, *b;
	size_t a_from, b_from;
};

static int take_hit(const struct part_pair *p, const struct sh_join_pair *hit, struct sh_error *err)
{
	struct sh_dedup *d = p->parts->dedup;
	const uint32_t *x = p->a->node + p->a_from + hit->a, *y = p->b->node + p->b_from + hit->b;

	for (uint32_t a = x[0]; a < x[1]; a++)
		for (uint32_t b = y[0]; b < y[1]; b++)
			if (d->take(d, sh_subset_vertex(p->a, a), sh_subset_vertex(p->b, b),
				hit->distance, err) < 0)
				return -1;
	return 0;
}

static int take_hits(void *arg, const struct sh_join_pair *hit, size_t n, struct sh_error *err)
{
	struct part_pair *p = arg;
	int status = 0;

	pthread_mutex_lock(&p->parts->lock);
	for (; n && status == 0; n--, hit++)
		status = take_hit(p, hit, err);
	pthread_mutex_unlock(&p->parts->lock);
	return status;
}

/* Different sets that have one fingerprint. */
static int join_equal(struct sh_dedup *d, const struct sh_subset *c, struct sh_error *err)
{
	for (size_t node = 0; node < c->n_nodes; node++)
		for (uint32_t a = c->node[node]; a < c->node[node + 1]; a++)
			for (uint32_t b = a + 1; b < c->node[node + 1]; b++)
				if (d->take(d, sh_subset_vertex(c, a), sh_subset_vertex(c, b), 0,
					err) < 0)
					return -1;
	return 0;
}

static size_t part_size(const struct side *s, size_t from)
{
	size_t left = s->subset->n_nodes - from;

	return left < s->size ? left : s->size;
}

static int join_parts(struct sh_dedup_worker *w, const struct side *x, size_t a,
    const struct side *y, size_t b, struct sh_error *err)
{
	struct sh_dedup *d = w->dedup;
	struct part_pair pair = { d->parts, x->subset, y->subset, a * x->size, b * y->size };
	const uint64_t *p = x->subset->fp + pair.a_from * d->words,
		       *q = y->subset->fp + pair.b_from * d->words;

	if (!w->join)
		w->join = sh_join_new(d->opts.bits, d->opts.k, NULL, err);
	if (!w->join)
		return -1;
	if (x == y && a == b)
		return sh_join_self(w->join, p, part_size(x, pair.a_from), take_hits, &pair, err);
	return sh_join_cross(w->join, p, part_size(x, pair.a_from), q, part_size(y, pair.b_from),
	    take_hits, &pair, err);
}

/* Task t of n * n: the pairs of different parts first, for they take longer. */
static int join_task(struct sh_dedup_worker *w, size_t t, struct sh_error *err)
{
	const struct sh_dedup_parts *p = w->dedup->parts;
	size_t n = p->a.n, a, b;

	if (p->b.subset)
		return join_parts(w, &p->a, t / p->b.n, &p->b, t % p->b.n, err);
	a = t < n * (n - 1) ? t / (n - 1) : t - n * (n - 1);
	b = t < n * (n - 1) ? a + 1 + t % (n - 1) : a;
	return b < n ? join_parts(w, &p->a, a, &p->a, b, err) : 0;
}

static int join_tasks(void *worker, size_t from, size_t to, struct sh_error *err)
{
	for (size_t t = from; t < to; t++)
		if (join_task(worker, t, err) < 0)
			return -1;
	return 0;
}

/* Parts that fit in the memory of a thread, and one for each. bytes: of one fingerprint. */
static struct side cut(
    const struct sh_dedup *d, const struct sh_subset *c, unsigned jobs, size_t bytes)
{
	struct side s = { .subset = c };
	size_t most = d->opts.memory / jobs / bytes + 1;

	s.n = (c->n_nodes + most - 1) / most;
	if (s.n < jobs)
		s.n = jobs;
	s.size = (c->n_nodes + s.n - 1) / s.n;
	/* Rounded up, they may be fewer. */
	s.n = s.size ? (c->n_nodes + s.size - 1) / s.size : 0;
	return s;
}

static void delete_joins(struct sh_dedup *d)
{
	for (unsigned i = 0; i < d->opts.jobs; i++) {
		sh_join_delete(d->worker[i].join);
		d->worker[i].join = NULL;
	}
}

static int join_near(
    struct sh_dedup *d, const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err)
{
	size_t nodes = a->n_nodes + (b ? b->n_nodes : 0);
	unsigned jobs = nodes < FEW_NODES ? 1 : d->opts.jobs;
	bool at_once = jobs == 1 && !b && nodes <= d->opts.memory / SELF_BYTES;
	struct sh_dedup_parts p = { .dedup = d };
	int status;

	p.a = cut(d, a, jobs, at_once ? SELF_BYTES : CROSS_BYTES);
	if (b)
		p.b = cut(d, b, jobs, CROSS_BYTES);
	pthread_mutex_init(&p.lock, NULL);
	d->parts = &p;
	status = sh_parallel(d->workers, jobs, p.a.n * (b ? p.b.n : p.a.n), 1, join_tasks, err);
	d->parts = NULL;
	pthread_mutex_destroy(&p.lock);
	delete_joins(d);
	return status;
}

int sh_dedup_join(
    struct sh_dedup *d, struct sh_subset *a, struct sh_subset *b, struct sh_error *err)
{
	if (sh_subset_find_nodes(d, a, err) < 0 || (b && sh_subset_find_nodes(d, b, err) < 0))
		return -1;
	if (!b && join_equal(d, a, err) < 0)
		return -1;
	if (join_near(d, a, b, err) < 0)
		return -1;
	if (sh_dedup_join_small(d, a, b, err) < 0)
		return -1;
	return sh_dedup_join_shared(d, a, b, err);
}
