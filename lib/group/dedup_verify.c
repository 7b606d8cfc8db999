#include <stdlib.h>

#include "base/compare.h"
#include "group/dedup_state.h"
#include "io/parallel.h"

enum {
	STRETCH = 256,
	LOT = 2048, /* pairs verified at a time that are to link chains */
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
		struct sh_candidate *c = &d->verified[i];

		if (sh_verify(w->verifier, d->vertex[c->a], d->vertex[c->b], &s, err) < 0)
			return -1;
		if (d->opts.seen)
			c->similarity = (uint16_t)sh_similarity_round(&s);
		c->passes = s.reaches;
	}
	return 0;
}

/* Those of one later vertex together. */
static int by_later(const void *a, const void *b)
{
	const struct sh_candidate *x = a, *y = b;

	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	return sh_compare(x->a, y->a);
}

void sh_dedup_sort(struct sh_dedup *d)
{
	qsort(d->candidate, d->n_candidates, sizeof *d->candidate, by_ends);
}

int sh_dedup_verify(
    struct sh_dedup *d, struct sh_candidate *candidate, size_t n, struct sh_error *err)
{
	d->verified = candidate;
	d->stats.compared += n;
	if (d->opts.verify &&
	    sh_parallel(d->workers, d->opts.jobs, n, STRETCH, verify_some, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		d->stats.similar += candidate[i].passes;
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

static int settle(
    struct sh_dedup *d, struct sh_candidate *candidate, size_t n, struct sh_error *err)
{
	if (n == 0)
		return 0;
	if (sh_dedup_verify(d, candidate, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (d->opts.seen)
			tell(d, &candidate[i]);
		if (candidate[i].passes && add_edge(d, &candidate[i], err) < 0)
			return -1;
	}
	return 0;
}

/* Whether some pairs change nothing, and nobody wants to know of them. */
static bool only_links(const struct sh_dedup *d)
{
	return d->opts.single && !d->opts.seen;
}

static bool is_idle(struct sh_dedup *d, uint32_t a, uint32_t b)
{
	return only_links(d) && (sh_dedup_both_protected(d, a, b) ||
				    sh_union_find(&d->chains, a) == sh_union_find(&d->chains, b));
}

/* A lot of pairs that link chains, if they pass: what would be linked is in d->likely, of roots. */
struct lot {
	size_t n;
	struct sh_candidate pair[LOT];
};

static int settle_lot(struct sh_dedup *d, struct lot *lot, struct sh_error *err)
{
	size_t n = lot->n;

	for (size_t i = 0; i < n; i++) {
		uint32_t x = sh_union_find(&d->chains, lot->pair[i].a);
		uint32_t y = sh_union_find(&d->chains, lot->pair[i].b);

		d->likely.parent[x] = x;
		d->likely.parent[y] = y;
	}
	lot->n = 0;
	return settle(d, lot->pair, n, err);
}

/* Of the pairs that will be idle when those of the lot before them pass, each vertex has so many go
 * with them, `spare`; the others wait. Those that are idle already are left out. */
static int link_some(struct sh_dedup *d, size_t spare, struct sh_error *err)
{
	struct lot lot = { .n = 0 };
	size_t spared = 0, waiting = 0;
	uint32_t last = 0; /* no pair's later vertex is the first one */

	for (size_t i = 0; i < d->n_candidates; i++) {
		const struct sh_candidate c = d->candidate[i];
		uint32_t x = sh_union_find(&d->likely, sh_union_find(&d->chains, c.a));
		uint32_t y = sh_union_find(&d->likely, sh_union_find(&d->chains, c.b));

		spared = c.b == last ? spared : 0;
		last = c.b;
		if (is_idle(d, c.a, c.b))
			continue;
		if (x != y) {
			sh_union_link(&d->likely, x, y);
		} else if (spared++ >= spare) {
			d->candidate[waiting++] = c;
			continue;
		}
		lot.pair[lot.n++] = c;
		if (lot.n == LOT && settle_lot(d, &lot, err) < 0)
			return -1;
	}
	d->n_candidates = waiting;
	return settle_lot(d, &lot, err);
}

/* In rounds: once chains are linked by one pair, all others between them are idle. Where few pass,
 * more go at a time from round to round, lest the time grow faster than the pairs. */
static int link_chains(struct sh_dedup *d, struct sh_error *err)
{
	qsort(d->candidate, d->n_candidates, sizeof *d->candidate, by_later);
	for (size_t spare = 0; d->n_candidates; spare = 2 * spare + 1)
		if (link_some(d, spare, err) < 0)
			return -1;
	return 0;
}

/* Of the same pair, found in two ways, only one is left. */
static void drop_repeated(struct sh_dedup *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n_candidates; i++)
		if (i == 0 || by_ends(&d->candidate[i], &d->candidate[kept - 1]) != 0)
			d->candidate[kept++] = d->candidate[i];
	d->n_candidates = kept;
}

static int flush(struct sh_dedup *d, struct sh_error *err)
{
	int status;

	if (only_links(d))
		return link_chains(d, err);
	sh_dedup_sort(d);
	drop_repeated(d);
	status = settle(d, d->candidate, d->n_candidates, err);
	d->n_candidates = 0;
	return status;
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

/* Places are asked for vertices only by stars. */
static int begin_chains(struct sh_dedup *d, struct sh_error *err)
{
	d->chains = (struct sh_union){ .parent = d->taker, .cap = d->n_vertices, .rank = d->place };
	d->likely = (struct sh_union){ .parent = d->at_place, .cap = d->n_vertices };
	if (sh_union_grow(&d->chains, d->n_vertices, err) < 0)
		return -1;
	return sh_union_grow(&d->likely, d->n_vertices, err);
}

int sh_dedup_all_pairs(struct sh_dedup *d, struct sh_error *err)
{
	d->take = take_candidate;
	if ((d->opts.single && begin_chains(d, err) < 0) ||
	    sh_dedup_join(d, &d->all, NULL, err) < 0 || flush(d, err) < 0)
		return -1;
	return group(d, err);
}
