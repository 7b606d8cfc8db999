#include <stdlib.h>

#include "base/compare.h"
#include "group/dedup_state.h"
#include "io/parallel.h"

enum {
	STRETCH = 256,
	WORTH_HOLDING = 4096, /* least number of candidates whose documents are held in memory */
	AHEAD = 2,            /* the texts of this next pair are fetched from memory */
	BATCH = 2048,         /* largest number of pairs verified at once to link chains */
};

static int verify_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_dedup_worker *w = worker;
	struct sh_dedup *d = w->dedup;
	struct sh_similarity s;

	for (size_t i = from; i < to; i++) {
		struct sh_candidate *c = &d->verified[i];

		if (i + AHEAD < to) {
			sh_corpus_fetch(d->opts.how.corpus, d->vertex[c[AHEAD].a]);
			sh_corpus_fetch(d->opts.how.corpus, d->vertex[c[AHEAD].b]);
		}
		if (sh_verify(w->verifier, d->vertex[c->a], d->vertex[c->b], &s, err) < 0)
			return -1;
		if (d->opts.seen)
			c->similarity = (uint16_t)sh_similarity_round(&s);
		c->passes = s.reaches;
	}
	return 0;
}

/* Orders candidates by the later vertex first, so that the candidates of a vertex are adjacent. */
static int by_later(const void *a, const void *b)
{
	const struct sh_candidate *x = a, *y = b;

	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	return sh_compare(x->a, y->a);
}

/* Moves candidates to the order of `order`, which has their ends and numbers. */
struct sorting {
	struct sh_candidate *from, *to;
	struct sh_side *order;
};

static void load_ends(void *arg, size_t from, size_t to)
{
	const struct sorting *s = arg;

	for (size_t i = from; i < to; i++) {
		s->order->word[i] = (uint64_t)s->from[i].a << 32 | s->from[i].b;
		s->order->id[i] = (uint32_t)i;
	}
}

static void move_candidates(void *arg, size_t from, size_t to)
{
	const struct sorting *s = arg;

	for (size_t i = from; i < to; i++)
		s->to[i] = s->from[s->order->id[i]];
}

int sh_dedup_sort(struct sh_dedup *d, struct sh_error *err)
{
	size_t n = d->n_candidates;
	unsigned jobs = d->opts.jobs;
	struct sh_sorted o;
	struct sorting s = { d->candidate, malloc(d->batch * sizeof *s.to), &o.side };
	int status = -1;

	if (!s.to)
		return sh_error_nomem(err);
	if (sh_sorted_get(&o, d->opts.tables, n, err) == 0 &&
	    sh_parallel_each(jobs, n, load_ends, &s, err) == 0 &&
	    sh_side_sort_by(jobs, &o.side, &o.room, NULL, NULL, err) == 0)
		status = sh_parallel_each(jobs, n, move_candidates, &s, err);
	sh_sorted_put(&o, d->opts.tables);
	free(s.from);
	d->candidate = s.to;
	return status;
}

/* Holds the documents of the first candidates in memory, up to opts.memory. The documents are
 * read in the order of the files. Sets *done to the number of these candidates. */
static int hold_some(struct sh_dedup *d, const struct sh_candidate *candidate, size_t n,
    size_t *done, struct sh_error *err)
{
	const struct sh_corpus *corpus = d->opts.how.corpus;
	uint32_t *document;
	size_t bytes = 0, i;
	int status;

	*done = n;
	if (!corpus->reads || n < WORTH_HOLDING)
		return 0;
	for (i = 0; i < n && bytes < d->opts.memory; i++)
		bytes += sh_corpus_hold_bytes(corpus, d->vertex[candidate[i].a]) +
			 sh_corpus_hold_bytes(corpus, d->vertex[candidate[i].b]);
	*done = i;
	document = malloc(2 * i * sizeof *document);
	if (!document)
		return sh_error_nomem(err);
	for (i = 0; i < *done; i++) {
		document[2 * i] = d->vertex[candidate[i].a];
		document[2 * i + 1] = d->vertex[candidate[i].b];
	}
	status = sh_corpus_hold(corpus, document, 2 * *done, err);
	free(document);
	return status;
}

static int verify_all(
    struct sh_dedup *d, struct sh_candidate *candidate, size_t n, struct sh_error *err)
{
	for (size_t i = 0, done; i < n; i += done) {
		d->verified = candidate + i;
		if (hold_some(d, d->verified, n - i, &done, err) < 0 ||
		    sh_parallel(d->worker, sizeof *d->worker, d->opts.jobs, done, STRETCH,
			verify_some, err) < 0)
			return -1;
	}
	return 0;
}

int sh_dedup_verify(
    struct sh_dedup *d, struct sh_candidate *candidate, size_t n, struct sh_error *err)
{
	d->stats.compared += n;
	if (d->opts.verify && verify_all(d, candidate, n, err) < 0)
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

static void report_pair(const struct sh_dedup *d, const struct sh_candidate *c)
{
	uint32_t x = d->vertex[c->a], y = d->vertex[c->b];
	struct sh_seen_pair pair = { x < y ? x : y, x < y ? y : x, c->distance, c->similarity };

	d->opts.seen(d->opts.arg, &pair);
}

static int verify_and_link(
    struct sh_dedup *d, struct sh_candidate *candidate, size_t n, struct sh_error *err)
{
	if (n == 0)
		return 0;
	if (sh_dedup_verify(d, candidate, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (d->opts.seen)
			report_pair(d, &candidate[i]);
		if (candidate[i].passes && add_edge(d, &candidate[i], err) < 0)
			return -1;
	}
	return 0;
}

/* Returns whether pairs only link chains. Then a pair within one chain need not be verified. */
static bool only_links(const struct sh_dedup *d)
{
	return d->opts.single && !d->opts.seen;
}

/* Returns whether verifying the pair cannot change a group. */
static bool is_redundant(struct sh_dedup *d, uint32_t a, uint32_t b)
{
	return only_links(d) && (sh_dedup_both_protected(d, a, b) ||
				    sh_union_find(&d->chains, a) == sh_union_find(&d->chains, b));
}

/* Pairs to be verified at once. d->likely links their chains as if each pair reached the
 * threshold. */
struct batch {
	size_t n;
	struct sh_candidate pair[BATCH];
};

/* Verifies the batch, and removes its links from d->likely. */
static int verify_batch(struct sh_dedup *d, struct batch *batch, struct sh_error *err)
{
	size_t n = batch->n;

	for (size_t i = 0; i < n; i++) {
		uint32_t x = sh_union_find(&d->chains, batch->pair[i].a);
		uint32_t y = sh_union_find(&d->chains, batch->pair[i].b);

		d->likely.parent[x] = x;
		d->likely.parent[y] = y;
	}
	batch->n = 0;
	return verify_and_link(d, batch->pair, n, err);
}

/* Runs one round over the candidates, which are ordered by their later vertex. A pair is
 *   dropped   when it is redundant;
 *   verified  when no earlier pairs of the batch connect its chains in d->likely;
 *   deferred  to the next round otherwise, except the first `most` pairs of each later vertex:
 *             they are verified, too. */
static int link_round(struct sh_dedup *d, size_t most, struct sh_error *err)
{
	struct batch batch = { .n = 0 };
	size_t verified = 0, deferred = 0;
	uint32_t last = 0; /* vertex 0 is in no pair the later vertex */

	for (size_t i = 0; i < d->n_candidates; i++) {
		const struct sh_candidate c = d->candidate[i];
		uint32_t x = sh_union_find(&d->likely, sh_union_find(&d->chains, c.a));
		uint32_t y = sh_union_find(&d->likely, sh_union_find(&d->chains, c.b));

		verified = c.b == last ? verified : 0;
		last = c.b;
		if (is_redundant(d, c.a, c.b))
			continue;
		if (x != y) {
			sh_union_link(&d->likely, x, y);
		} else if (verified++ >= most) {
			d->candidate[deferred++] = c;
			continue;
		}
		batch.pair[batch.n++] = c;
		if (batch.n == BATCH && verify_batch(d, &batch, err) < 0)
			return -1;
	}
	d->n_candidates = deferred;
	return verify_batch(d, &batch, err);
}

/* Verifies candidates in rounds. A pair that reaches the threshold makes all other pairs between
 * its chains redundant, so most pairs are deferred. When few pairs reach the threshold, each round
 * verifies twice the pairs of a vertex. So the number of rounds is logarithmic in these pairs. */
static int link_chains(struct sh_dedup *d, struct sh_error *err)
{
	qsort(d->candidate, d->n_candidates, sizeof *d->candidate, by_later);
	for (size_t most = 0; d->n_candidates; most = 2 * most + 1)
		if (link_round(d, most, err) < 0)
			return -1;
	return 0;
}

/* Drops repeated candidates: a pair that two searches found is verified once. */
static void drop_repeated(struct sh_dedup *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->n_candidates; i++)
		if (i == 0 || d->candidate[i].a != d->candidate[kept - 1].a ||
		    d->candidate[i].b != d->candidate[kept - 1].b)
			d->candidate[kept++] = d->candidate[i];
	d->n_candidates = kept;
}

static int flush(struct sh_dedup *d, struct sh_error *err)
{
	int status;

	if (only_links(d))
		return link_chains(d, err);
	if (sh_dedup_sort(d, err) < 0)
		return -1;
	drop_repeated(d);
	status = verify_and_link(d, d->candidate, d->n_candidates, err);
	d->n_candidates = 0;
	return status;
}

static int verify_candidate(
    struct sh_dedup *d, uint32_t a, uint32_t b, unsigned distance, struct sh_error *err)
{
	if (is_redundant(d, a, b))
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
		return sh_group_star_in(d->opts.tables, 0, d->vertex_keeper, d->n_vertices, d->edge,
		    d->n_edges, d->place, err);
	for (uint32_t v = 0; v < d->n_vertices; v++)
		d->vertex_keeper[v] = sh_union_find(&d->chains, v);
	return 0;
}

/* Prepares the union-find in the arrays of places, which chains do not need. */
static int begin_chains(struct sh_dedup *d, struct sh_error *err)
{
	d->chains =
	    (struct sh_union){ .parent = d->vertex_keeper, .cap = d->n_vertices, .rank = d->place };
	d->likely = (struct sh_union){ .parent = d->at_place, .cap = d->n_vertices };
	if (sh_union_grow(&d->chains, d->n_vertices, err) < 0)
		return -1;
	return sh_union_grow(&d->likely, d->n_vertices, err);
}

int sh_dedup_all_pairs(struct sh_dedup *d, struct sh_error *err)
{
	d->on_pair = verify_candidate;
	if ((d->opts.single && begin_chains(d, err) < 0) ||
	    sh_dedup_join(d, &d->all, NULL, err) < 0 || flush(d, err) < 0)
		return -1;
	return group(d, err);
}
