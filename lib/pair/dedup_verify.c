#include <stdlib.h>

#include "io/parallel.h"
#include "pair/dedup_state.h"

enum {
	STRETCH = 256,
	/* Of chains so many are verified at a time: between two such lots what is in one chain
	 * by now is left out. */
	LOT = 2048,
};

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
		if (d->opts.seen)
			c->similarity = (uint16_t)sh_similarity_round(&s);
		c->passes = sh_similarity_reaches(&s, d->opts.threshold, 1000000);
	}
	return 0;
}

void sh_dedup_sort(struct sh_dedup *d)
{
	qsort(d->candidate, d->n_candidates, sizeof *d->candidate, by_ends);
}

int sh_dedup_verify(struct sh_dedup *d, size_t n, struct sh_error *err)
{
	d->stats.compared += n;
	if (d->opts.verify &&
	    sh_parallel(d->workers, d->opts.jobs, n, STRETCH, verify_some, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		d->stats.similar += d->candidate[i].passes;
	if (d->opts.progress)
		d->opts.progress(d->opts.arg, &d->stats);
	return 0;
}

static int add_edge(struct sh_dedup *d, const struct sh_candidate *c, struct sh_error *err)
{
	if (sh_dedup_both_protected(d, c->a, c->b))
		return 0;
	if (d->opts.single) {
		sh_union_link(&d->chains, c->a, c->b);
		return 0;
	}
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

/* Whether the pair changes nothing, and nobody wants to know. */
static bool is_idle(struct sh_dedup *d, uint32_t a, uint32_t b)
{
	return d->opts.single && !d->opts.seen &&
	       (sh_dedup_both_protected(d, a, b) ||
		   sh_union_find(&d->chains, a) == sh_union_find(&d->chains, b));
}

/* Of the next candidates those that are not idle to the front: how many. */
static size_t next_lot(struct sh_dedup *d, size_t *at)
{
	size_t n = 0, most = d->opts.single && !d->opts.seen ? LOT : SIZE_MAX;

	for (; *at < d->n_candidates && n < most; ++*at)
		if (!is_idle(d, d->candidate[*at].a, d->candidate[*at].b))
			d->candidate[n++] = d->candidate[*at];
	return n;
}

static int flush(struct sh_dedup *d, struct sh_error *err)
{
	sh_dedup_sort(d);
	for (size_t at = 0, n; (n = next_lot(d, &at)) > 0;) {
		if (sh_dedup_verify(d, n, err) < 0)
			return -1;
		for (size_t i = 0; i < n; i++) {
			const struct sh_candidate *c = &d->candidate[i];

			if (d->opts.seen)
				tell(d, c);
			if (c->passes && add_edge(d, c, err) < 0)
				return -1;
		}
	}
	d->n_candidates = 0;
	return 0;
}

static int take_candidate(
    struct sh_dedup *d, uint32_t a, uint32_t b, unsigned distance, struct sh_error *err)
{
	if (is_idle(d, a, b))
		return 0;
	d->candidate[d->n_candidates++] = (struct sh_candidate){ .a = a < b ? a : b,
		.b = a < b ? b : a,
		.distance = (uint16_t)distance,
		.similarity = SH_EDGE_NONE,
		.passes = true };
	return d->n_candidates == d->batch ? flush(d, err) : 0;
}

static int group(struct sh_dedup *d, struct sh_error *err)
{
	if (!d->opts.single)
		return sh_group_star_in(
		    d->opts.tables, d->taker, d->n_vertices, d->edge, d->n_edges, d->place, err);
	for (uint32_t v = 0; v < d->n_vertices; v++)
		d->taker[v] = sh_union_find(&d->chains, v);
	return 0;
}

int sh_dedup_all_pairs(struct sh_dedup *d, struct sh_error *err)
{
	d->chains = (struct sh_union){ .parent = d->taker, .cap = d->n_vertices, .rank = d->place };
	d->take = take_candidate;
	if (sh_union_grow(&d->chains, d->n_vertices, err) < 0 ||
	    sh_dedup_join(d, &d->all, NULL, err) < 0 || flush(d, err) < 0)
		return -1;
	return group(d, err);
}
