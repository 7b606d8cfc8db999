#include <stdlib.h>

#include "io/parallel.h"
#include "base/compare.h"
#include "pair/dedup_state.h"

enum { STRETCH = 256 };

static int by_ends(const void *a, const void *b)
{
	const struct sh_candidate *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return sh_compare(x->b, y->b);
}

static int verify_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_dedup_worker *w = worker;
	struct sh_dedup *d = w->dedup;
	struct sh_similarity s;

	for (size_t i = from; i < to; i++) {
		struct sh_candidate *c = &d->candidate[i];

		if (sh_verify(w->verifier, d->vertex[c->a], d->vertex[c->b], &s, err) < 0)
			return -1;
		c->similarity = (uint16_t)sh_similarity_round(&s);
		c->passes = sh_similarity_reaches(&s, d->opts.threshold, 1000000);
	}
	return 0;
}

static int add_edge(struct sh_dedup *d, const struct sh_candidate *c, struct sh_error *err)
{
	d->stats.similar++;
	/* Neither may go, so neither is the other's. */
	if (sh_dedup_protects(d, d->vertex[c->a]) && sh_dedup_protects(d, d->vertex[c->b]))
		return 0;
	if (d->n_edges == d->edge_cap &&
	    sh_tables_grow(d->opts.tables, (void **)&d->edge, &d->edge_cap, d->n_edges + 1,
		sizeof *d->edge, err) < 0)
		return -1;
	d->edge[d->n_edges++] = (struct sh_edge){ c->a, c->b, c->distance, c->similarity };
	return 0;
}

static void tell(const struct sh_dedup *d, const struct sh_candidate *c)
{
	uint32_t x = d->vertex[c->a], y = d->vertex[c->b];
	struct sh_seen_pair pair = { x < y ? x : y, x < y ? y : x, c->distance, c->similarity };

	d->opts.seen(d->opts.arg, &pair);
}

/* Verify the batch. In order of documents, so that their features are made once. */
int sh_candidates_flush(struct sh_dedup *d, struct sh_error *err)
{
	size_t n = d->n_candidates;

	d->n_candidates = 0;
	if (d->opts.verify) {
		qsort(d->candidate, n, sizeof *d->candidate, by_ends);
		if (sh_parallel(d->workers, d->opts.jobs, n, STRETCH, verify_some, err) < 0)
			return -1;
	}
	d->stats.compared += n;
	for (size_t i = 0; i < n; i++) {
		const struct sh_candidate *c = &d->candidate[i];

		if (d->opts.seen)
			tell(d, c);
		if (c->passes && add_edge(d, c, err) < 0)
			return -1;
	}
	if (d->opts.progress)
		d->opts.progress(d->opts.arg, &d->stats);
	return 0;
}

int sh_candidates_add(
    struct sh_dedup *d, uint32_t a, uint32_t b, unsigned distance, struct sh_error *err)
{
	d->candidate[d->n_candidates++] = (struct sh_candidate){ a < b ? a : b, a < b ? b : a,
		(uint16_t)distance, SH_EDGE_NONE, true };
	return d->n_candidates == d->batch ? sh_candidates_flush(d, err) : 0;
}
