/* Stars, with few comparisons of texts.
 *
 * A vertex is a duplicate of the best staying vertex that is similar to it. So it is compared only
 * with better vertices that stay, the best first, until one is similar. Of a thousand documents of
 * one template, each is compared with the one that stays.
 *
 * Not all pairs are held at once. A subset with too many pairs is split in two by places: first the
 * better half is decided; then the vertices of the worse half that are similar to a staying vertex
 * are dropped; then the remaining vertices are decided. The same pairs are compared for every way
 * of splitting. */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "group/dedup_state.h"
#include "io/parallel.h"

enum { PAIRS_EACH = 8 }; /* pairs held for each vertex, in addition to opts.pairs */

#define PAIRS_MAX (SIZE_MAX / sizeof(uint64_t))
#define NO_ITEM   UINT32_MAX

/* ---- pairs of a join ---- */

int sh_dedup_add_pairs(struct sh_dedup *d, const uint64_t *pair, size_t n, struct sh_error *err)
{
	if (n > d->pairs_limit - d->pairs.n) {
		d->too_many = true;
		/* The error only ends the join. It is not reported: d->too_many is set. */
		return sh_error_set(err, SH_ERR_RANGE, "too many pairs");
	}
	if (d->pairs.n + n > d->pairs.cap &&
	    sh_tables_grow(d->opts.tables, (void **)&d->pairs.pair, &d->pairs.cap, d->pairs.n + n,
		sizeof *d->pairs.pair, err) < 0)
		return -1;
	if (n)
		memcpy(d->pairs.pair + d->pairs.n, pair, n * sizeof *pair);
	d->pairs.n += n;
	return 0;
}

static int add_pair(
    struct sh_dedup *d, uint32_t a, uint32_t b, unsigned distance, struct sh_error *err)
{
	uint64_t x = d->place[a], y = d->place[b], pair = x < y ? y << 32 | x : x << 32 | y;

	(void)distance;
	return sh_dedup_both_protected(d, a, b) ? 0 : sh_dedup_add_pairs(d, &pair, 1, err);
}

/* Finds the pairs within subset a (b NULL), or between the subsets a and b. Returns 1, 0 when there
 * are too many, or -1. */
static int find_pairs(
    struct sh_dedup *d, struct sh_subset *a, struct sh_subset *b, struct sh_error *err)
{
	uint64_t limit = d->opts.pairs + PAIRS_EACH * ((uint64_t)a->n + (b ? b->n : 0));
	int status;

	d->on_pair = add_pair;
	d->pairs.n = 0;
	d->pairs_limit = limit < PAIRS_MAX ? (size_t)limit : PAIRS_MAX;
	d->too_many = false;
	status = sh_dedup_join(d, a, b, err);
	sh_subset_put_nodes(d, a);
	if (d->too_many)
		return 0;
	return status < 0 ? -1 : 1;
}

/* ---- decisions by pairs ---- */

/* A vertex that has pairs with better vertices. */
struct item {
	size_t at, end; /* its pairs, the best first; pairs before `at` are finished */
	uint32_t vertex;
	uint32_t waiting; /* first of the items that wait for the decision on this item */
	uint32_t next;    /* next item in a list of waiting or of ready items */
};

struct deciding {
	struct sh_dedup *dedup;
	bool stay;         /* when no better vertex is similar, the vertex stays */
	struct item *item; /* by place */
	uint32_t n, ready;
};

static uint32_t worse(const struct sh_dedup *d, size_t pair)
{
	return (uint32_t)(d->pairs.pair[pair] >> 32);
}

static uint32_t better(const struct sh_dedup *d, size_t pair)
{
	return d->at_place[(uint32_t)d->pairs.pair[pair]];
}

static int make_items(struct deciding *s, struct sh_error *err)
{
	struct sh_dedup *d = s->dedup;
	size_t n = 0;

	for (size_t i = 0; i < d->pairs.n; i++)
		n += i == 0 || worse(d, i) != worse(d, i - 1);
	s->item = sh_tables_get(d->opts.tables, n, sizeof *s->item, err);
	if (!s->item)
		return -1;
	for (size_t i = 0, end; i < d->pairs.n; i = end) {
		for (end = i + 1; end < d->pairs.n && worse(d, end) == worse(d, i);)
			end++;
		s->item[s->n] =
		    (struct item){ i, end, d->at_place[worse(d, i)], NO_ITEM, s->n + 1 };
		s->n++;
	}
	if (s->n)
		s->item[s->n - 1].next = NO_ITEM;
	s->ready = s->n ? 0 : NO_ITEM;
	return 0;
}

static struct item *item_of(const struct deciding *s, uint32_t vertex)
{
	uint32_t lo = 1, hi = s->n;

	SH_BISECT(lo, hi, mid, s->dedup->place[s->item[mid].vertex] <= s->dedup->place[vertex]);
	return &s->item[lo - 1];
}

static void add_ready(struct deciding *s, uint32_t i)
{
	s->item[i].next = s->ready;
	s->ready = i;
}

/* Decides a vertex: it stays (vertex_keeper is the vertex itself), or is a duplicate of
 * vertex_keeper. The items that waited for the decision become ready. */
static void decide(struct deciding *s, struct item *it, uint32_t vertex_keeper)
{
	s->dedup->vertex_keeper[it->vertex] = vertex_keeper;
	while (it->waiting != NO_ITEM) {
		uint32_t i = it->waiting;

		it->waiting = s->item[i].next;
		add_ready(s, i);
	}
}

/* Advances to the next better vertex that stays or is undecided. If the vertex stays, adds a
 * candidate. If it is undecided, the item waits for it. Without such a vertex, decides the item
 * when s->stay. */
static void advance(struct deciding *s, uint32_t i)
{
	struct sh_dedup *d = s->dedup;
	struct item *it = &s->item[i];

	for (; it->at < it->end; it->at++) {
		uint32_t u = better(d, it->at);

		if (d->vertex_keeper[u] == u) {
			d->candidate[d->n_candidates++] = (struct sh_candidate){
				.a = u, .b = it->vertex, .item = i, .passes = true
			};
			return;
		}
		if (d->vertex_keeper[u] == SH_UNDECIDED) {
			struct item *other = item_of(s, u);

			it->next = other->waiting;
			other->waiting = i;
			return;
		}
	}
	if (s->stay)
		decide(s, it, it->vertex);
}

static int compare(struct deciding *s, struct sh_error *err)
{
	struct sh_dedup *d = s->dedup;

	if (d->n_candidates == 0)
		return 0;
	if (d->opts.verify && sh_dedup_sort(d, err) < 0)
		return -1;
	if (sh_dedup_verify(d, d->candidate, d->n_candidates, err) < 0)
		return -1;
	for (size_t i = d->n_candidates; i-- > 0;) {
		const struct sh_candidate *c = &d->candidate[i];

		if (c->passes) {
			decide(s, &s->item[c->item], c->a);
		} else {
			s->item[c->item].at++;
			add_ready(s, c->item);
		}
	}
	d->n_candidates = 0;
	return 0;
}

static int decide_items(struct deciding *s, struct sh_error *err)
{
	struct sh_dedup *d = s->dedup;

	do {
		while (s->ready != NO_ITEM && d->n_candidates < d->batch) {
			uint32_t i = s->ready;

			s->ready = s->item[i].next;
			advance(s, i);
		}
		if (compare(s, err) < 0)
			return -1;
	} while (s->ready != NO_ITEM);
	return 0;
}

struct staying {
	struct sh_dedup *dedup;
	const struct sh_subset *subset;
};

static void let_stay(void *arg, size_t from, size_t to)
{
	const struct staying *s = arg;

	for (size_t i = from; i < to; i++) {
		uint32_t v = sh_subset_vertex(s->subset, (uint32_t)i);

		s->dedup->vertex_keeper[v] = v;
	}
}

/* Decides that all vertices of the subset stay, except the vertices that have an item. */
static int keep_others(const struct deciding *s, const struct sh_subset *c, struct sh_error *err)
{
	struct sh_dedup *d = s->dedup;
	struct staying all = { d, c };

	if (sh_parallel_each(d->opts.jobs, c->n, let_stay, &all, err) < 0)
		return -1;
	for (uint32_t i = 0; i < s->n; i++)
		d->vertex_keeper[s->item[i].vertex] = SH_UNDECIDED;
	return 0;
}

/* Decides a subset by d->pairs. stay: the pairs are complete, so a vertex stays when no better
 * vertex is similar. Otherwise it remains undecided. */
static int decide_pairs(
    struct sh_dedup *d, const struct sh_subset *c, bool stay, struct sh_error *err)
{
	struct deciding s = { .dedup = d, .stay = stay };
	int status = -1;

	if (sh_pairs_sort(&d->pairs, d->opts.jobs, d->opts.tables, err) == 0 &&
	    make_items(&s, err) == 0 && (!stay || keep_others(&s, c, err) == 0))
		status = decide_items(&s, err);
	sh_tables_put(d->opts.tables, s.item);
	return status;
}

/* ---- subsets ---- */

/* Drops the vertices of `rest` that are similar to a vertex of `staying`. The places of `staying`
 * are lo .. hi - 1. All vertices of `rest` have places from hi on. */
static int drop(struct sh_dedup *d, struct sh_subset *staying, struct sh_subset *rest, uint32_t lo,
    uint32_t hi, struct sh_error *err)
{
	uint32_t mid = lo + (hi - lo) / 2;
	struct sh_subset half = { 0 }, left = { 0 };
	int got, status = -1;

	if (!staying->n || !rest->n)
		return 0;
	got = find_pairs(d, staying, rest, err);
	if (got != 0)
		return got < 0 ? -1 : decide_pairs(d, rest, false, err);
	if (sh_subset_pick(d, staying, lo, mid, true, &half, err) == 0 &&
	    drop(d, &half, rest, lo, mid, err) == 0) {
		sh_subset_put(d, &half);
		if (sh_subset_pick(d, staying, mid, hi, true, &half, err) == 0 &&
		    sh_subset_pick(d, rest, hi, UINT32_MAX, false, &left, err) == 0)
			status = drop(d, &half, &left, mid, hi, err);
	}
	sh_subset_put(d, &half);
	sh_subset_put(d, &left);
	return status;
}

static int decide_subset(
    struct sh_dedup *d, struct sh_subset *c, uint32_t lo, uint32_t hi, struct sh_error *err);

/* Decides the better half, the places lo .. mid - 1. Drops the vertices of the worse half that are
 * similar to a staying one. Sets *rest to the undecided vertices. */
static int decide_half(struct sh_dedup *d, const struct sh_subset *c, uint32_t lo, uint32_t mid,
    struct sh_subset *rest, struct sh_error *err)
{
	struct sh_subset half = { 0 }, staying = { 0 }, all = { 0 };
	int status = -1;

	if (sh_subset_pick(d, c, lo, mid, false, &half, err) == 0 &&
	    decide_subset(d, &half, lo, mid, err) == 0 &&
	    sh_subset_pick(d, c, lo, mid, true, &staying, err) == 0 &&
	    sh_subset_pick(d, c, mid, UINT32_MAX, false, &all, err) == 0 &&
	    drop(d, &staying, &all, lo, mid, err) == 0)
		status = sh_subset_pick(d, &all, mid, UINT32_MAX, false, rest, err);
	sh_subset_put(d, &half);
	sh_subset_put(d, &staying);
	sh_subset_put(d, &all);
	return status;
}

/* Decides a subset whose places are lo .. hi - 1. All better vertices outside the subset are
 * decided; no staying one is similar to a vertex of the subset. */
static int decide_subset(
    struct sh_dedup *d, struct sh_subset *c, uint32_t lo, uint32_t hi, struct sh_error *err)
{
	uint32_t mid = lo + (hi - lo) / 2;
	struct sh_subset rest = { 0 };
	int got = find_pairs(d, c, NULL, err), status;

	if (got != 0)
		return got < 0 ? -1 : decide_pairs(d, c, true, err);
	status = decide_half(d, c, lo, mid, &rest, err);
	if (status == 0)
		status = decide_subset(d, &rest, mid, hi, err);
	sh_subset_put(d, &rest);
	return status;
}

static void be_undecided(void *arg, size_t from, size_t to)
{
	struct sh_dedup *d = arg;

	for (size_t v = from; v < to; v++)
		d->vertex_keeper[v] = SH_UNDECIDED;
}

int sh_dedup_stars(struct sh_dedup *d, struct sh_error *err)
{
	if (sh_parallel_each(d->opts.jobs, d->n_vertices, be_undecided, d, err) < 0)
		return -1;
	return decide_subset(d, &d->all, 0, d->n_vertices, err);
}
