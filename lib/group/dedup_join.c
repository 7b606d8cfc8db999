#include "group/dedup_state.h"

#include "join/join.h"

enum {
	/* Bytes of memory for each fingerprint of a part: 4 for the number and 8 for a word, on
	 * one or both sides and in the scratch memory. */
	SELF_BYTES = 2 * 12,
	CROSS_BYTES = 3 * 12,
	/* One thread joins fewer fingerprints than this. */
	FEW_NODES = 1 << 16,
};

/* The nodes of a subset, cut into n parts of at most `size` nodes. Each part is joined with itself
 * and each later part, or with each part of another subset. The join of two parts fits in memory,
 * and uses all threads. */
struct side {
	const struct sh_subset *subset;
	size_t n, size;
};

/* Two parts that are joined. */
struct part_pair {
	struct sh_dedup *dedup;
	const struct sh_subset *a, *b;
	size_t a_from, b_from; /* first node of each part */
};

static int pass_hit(const struct part_pair *p, const struct sh_join_pair *hit, struct sh_error *err)
{
	struct sh_dedup *d = p->dedup;
	const uint32_t *x = p->a->node + p->a_from + hit->a, *y = p->b->node + p->b_from + hit->b;

	for (uint32_t a = x[0]; a < x[1]; a++)
		for (uint32_t b = y[0]; b < y[1]; b++)
			if (d->on_pair(d, sh_subset_vertex(p->a, a), sh_subset_vertex(p->b, b),
				hit->distance, err) < 0)
				return -1;
	return 0;
}

static int pass_hits(void *arg, const struct sh_join_pair *hit, size_t n, struct sh_error *err)
{
	int status = 0;

	for (; n && status == 0; n--, hit++)
		status = pass_hit(arg, hit, err);
	return status;
}

/* Passes the pairs of vertices that have the same fingerprint. */
static int join_equal(struct sh_dedup *d, const struct sh_subset *c, struct sh_error *err)
{
	for (size_t node = 0; node < c->n_nodes; node++)
		for (uint32_t a = c->node[node]; a < c->node[node + 1]; a++)
			for (uint32_t b = a + 1; b < c->node[node + 1]; b++)
				if (d->on_pair(d, sh_subset_vertex(c, a), sh_subset_vertex(c, b), 0,
					err) < 0)
					return -1;
	return 0;
}

static size_t part_size(const struct side *s, size_t from)
{
	size_t left = s->subset->n_nodes - from;

	return left < s->size ? left : s->size;
}

static int join_parts(struct sh_dedup *d, struct sh_join *join, const struct side *x, size_t a,
    const struct side *y, size_t b, struct sh_error *err)
{
	struct part_pair pair = { d, x->subset, y->subset, a * x->size, b * y->size };
	const uint64_t *p = x->subset->fp + pair.a_from * d->words,
		       *q = y->subset->fp + pair.b_from * d->words;

	if (x == y && a == b)
		return sh_join_self(join, p, part_size(x, pair.a_from), pass_hits, &pair, err);
	return sh_join_cross(join, p, part_size(x, pair.a_from), q, part_size(y, pair.b_from),
	    pass_hits, &pair, err);
}

/* Cuts a subset into parts of equal size that fit in memory. bytes: for each fingerprint. */
static struct side cut(const struct sh_dedup *d, const struct sh_subset *c, size_t bytes)
{
	struct side s = { .subset = c };
	size_t most = d->opts.memory / bytes + 1;

	s.n = (c->n_nodes + most - 1) / most;
	s.size = s.n ? (c->n_nodes + s.n - 1) / s.n : 0;
	/* The size was rounded up, so fewer parts may be enough. */
	s.n = s.size ? (c->n_nodes + s.size - 1) / s.size : 0;
	return s;
}

static int join_all_parts(struct sh_dedup *d, struct sh_join *join, const struct side *a,
    const struct side *b, struct sh_error *err)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = a == b ? i : 0; k < b->n; k++)
			if (join_parts(d, join, a, i, b, k, err) < 0)
				return -1;
	return 0;
}

static int join_near(
    struct sh_dedup *d, const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err)
{
	size_t nodes = a->n_nodes + (b ? b->n_nodes : 0);
	struct sh_join *join = sh_join_new(d->opts.bits, d->opts.k, NULL, err);
	bool at_once = !b && nodes <= d->opts.memory / SELF_BYTES;
	struct side x = cut(d, a, at_once ? SELF_BYTES : CROSS_BYTES), y = { 0 };
	int status = -1;

	if (b)
		y = cut(d, b, CROSS_BYTES);
	if (join && sh_join_set_threads(join, nodes < FEW_NODES ? 1 : d->opts.jobs, err) == 0)
		status = join_all_parts(d, join, &x, b ? &y : &x, err);
	sh_join_delete(join);
	return status;
}

int sh_dedup_join(
    struct sh_dedup *d, struct sh_subset *a, struct sh_subset *b, struct sh_error *err)
{
	if (d->buckets)
		return sh_dedup_join_keys(d, a, b, err) < 0 ? -1
							    : sh_dedup_join_small(d, a, b, err);
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
