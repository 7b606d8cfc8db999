/* Stars with as few texts compared as they can be had for.
 *
 * A vertex goes to the best one that stays among those like it. So, the better ones' fate known, it
 * is compared with those near it that stay, the best first, until one is like it; with those that
 * go it need not be. A thousand documents of one template are compared with the one that stays.
 *
 * Nor need all pairs be found. When a cohort has too many, it is cut in two by places: its better
 * half is settled first; of the rest those go that are like one of that half that stays; then what
 * is left is settled. The same pairs are compared, and counted, however it is cut. */
#include <stdlib.h>

#include "group/dedup_state.h"
#include "join/scan.h"

enum { PAIRS_EACH = 8 }; /* held for each vertex, beside opts.pairs */

#define PAIRS_MAX (UINT32_MAX - SH_SCAN_TILE) /* that can be sorted */
#define NO_ITEM   UINT32_MAX

/* ---- pairs of a join ---- */

static int take_pair(
    struct sh_dedup *d, uint32_t a, uint32_t b, unsigned distance, struct sh_error *err)
{
	uint64_t x = d->place[a], y = d->place[b];

	(void)distance;
	if (sh_dedup_both_protected(d, a, b))
		return 0;
	if (d->n_pairs == d->pairs_limit) {
		d->too_many = true;
		return sh_error_set(err, SH_ERR_RANGE, "too many pairs"); /* nobody is told */
	}
	if (d->n_pairs == d->pair_cap &&
	    sh_tables_grow(d->opts.tables, (void **)&d->pair, &d->pair_cap, d->n_pairs + 1,
		sizeof *d->pair, err) < 0)
		return -1;
	d->pair[d->n_pairs++] = x < y ? y << 32 | x : x << 32 | y;
	return 0;
}

/* Those of two cohorts, or of one: 1, 0 when they are too many, -1. */
static int find_pairs(
    struct sh_dedup *d, struct sh_cohort *a, struct sh_cohort *b, struct sh_error *err)
{
	uint64_t limit = d->opts.pairs + PAIRS_EACH * ((uint64_t)a->n + (b ? b->n : 0));
	int status;

	d->take = take_pair;
	d->n_pairs = 0;
	d->pairs_limit = limit < PAIRS_MAX ? (size_t)limit : PAIRS_MAX;
	d->too_many = false;
	status = sh_dedup_join(d, a, b, err);
	sh_cohort_put_nodes(d, a);
	if (d->too_many)
		return 0;
	return status < 0 ? -1 : 1;
}

/* ---- what they make of their vertices ---- */

/* A vertex with the better ones near it. */
struct item {
	size_t at, end; /* in pairs, the best first: those before `at` are done with */
	uint32_t vertex;
	uint32_t waiting; /* the first of the items that wait for this one */
	uint32_t next;    /* that waits for the same, or is ready, too */
};

struct settling {
	struct sh_dedup *dedup;
	bool stay; /* who goes to none stays */
	struct sh_sorted pairs;
	struct item *item; /* by place */
	uint32_t n, ready;
};

static uint32_t worse(const struct settling *s, size_t pair)
{
	return (uint32_t)(s->pairs.side.word[pair] >> 32);
}

static uint32_t better(const struct settling *s, size_t pair)
{
	return s->dedup->at_place[(uint32_t)s->pairs.side.word[pair]];
}

static size_t drop_repeated(uint64_t *pair, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (i == 0 || pair[i] != pair[i - 1])
			pair[kept++] = pair[i];
	return kept;
}

static int sort_pairs(struct settling *s, struct sh_error *err)
{
	struct sh_dedup *d = s->dedup;

	if (sh_sorted_get(&s->pairs, d->opts.tables, d->n_pairs, err) < 0)
		return -1;
	for (size_t i = 0; i < d->n_pairs; i++) {
		s->pairs.side.word[i] = d->pair[i];
		s->pairs.side.id[i] = 0;
	}
	sh_side_sort(&s->pairs.side, &s->pairs.room, NULL, NULL);
	d->n_pairs = drop_repeated(s->pairs.side.word, d->n_pairs);
	return 0;
}

static int make_items(struct settling *s, struct sh_error *err)
{
	struct sh_dedup *d = s->dedup;
	size_t n = 0;

	for (size_t i = 0; i < d->n_pairs; i++)
		n += i == 0 || worse(s, i) != worse(s, i - 1);
	s->item = sh_tables_get(d->opts.tables, n, sizeof *s->item, err);
	if (!s->item)
		return -1;
	for (size_t i = 0, end; i < d->n_pairs; i = end) {
		for (end = i + 1; end < d->n_pairs && worse(s, end) == worse(s, i);)
			end++;
		s->item[s->n] =
		    (struct item){ i, end, d->at_place[worse(s, i)], NO_ITEM, s->n + 1 };
		s->n++;
	}
	if (s->n)
		s->item[s->n - 1].next = NO_ITEM;
	s->ready = s->n ? 0 : NO_ITEM;
	return 0;
}

static struct item *item_of(const struct settling *s, uint32_t vertex)
{
	uint32_t lo = 0, hi = s->n;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->dedup->place[s->item[mid].vertex] <= s->dedup->place[vertex])
			lo = mid;
		else
			hi = mid;
	}
	return &s->item[lo];
}

static void add_ready(struct settling *s, uint32_t i)
{
	s->item[i].next = s->ready;
	s->ready = i;
}

/* It stays, or goes to another: those that waited for it go on. */
static void settle(struct settling *s, struct item *it, uint32_t taker)
{
	s->dedup->taker[it->vertex] = taker;
	while (it->waiting != NO_ITEM) {
		uint32_t i = it->waiting;

		it->waiting = s->item[i].next;
		add_ready(s, i);
	}
}

/* To the next one that it must be compared with, or wait for. */
static void advance(struct settling *s, uint32_t i)
{
	struct sh_dedup *d = s->dedup;
	struct item *it = &s->item[i];

	for (; it->at < it->end; it->at++) {
		uint32_t u = better(s, it->at);

		if (d->taker[u] == u) {
			d->candidate[d->n_candidates++] = (struct sh_candidate){
				.a = u, .b = it->vertex, .item = i, .passes = true
			};
			return;
		}
		if (d->taker[u] == SH_NO_TAKER) {
			struct item *other = item_of(s, u);

			it->next = other->waiting;
			other->waiting = i;
			return;
		}
	}
	if (s->stay)
		settle(s, it, it->vertex);
}

static int compare(struct settling *s, struct sh_error *err)
{
	struct sh_dedup *d = s->dedup;

	if (d->n_candidates == 0)
		return 0;
	if (d->opts.verify)
		sh_dedup_sort(d);
	if (sh_dedup_verify(d, d->candidate, d->n_candidates, err) < 0)
		return -1;
	for (size_t i = d->n_candidates; i-- > 0;) {
		const struct sh_candidate *c = &d->candidate[i];

		if (c->passes) {
			settle(s, &s->item[c->item], c->a);
		} else {
			s->item[c->item].at++;
			add_ready(s, c->item);
		}
	}
	d->n_candidates = 0;
	return 0;
}

static int settle_items(struct settling *s, struct sh_error *err)
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

/* Those of a cohort that are near no better one stay. */
static void keep_others(const struct settling *s, const struct sh_cohort *c)
{
	uint32_t *taker = s->dedup->taker;

	for (uint32_t i = 0; i < c->n; i++)
		taker[sh_cohort_vertex(c, i)] = sh_cohort_vertex(c, i);
	for (uint32_t i = 0; i < s->n; i++)
		taker[s->item[i].vertex] = SH_NO_TAKER;
}

/* What the pairs say of a cohort; `stay`: all of them are known, so who goes to none stays. */
static int settle_pairs(
    struct sh_dedup *d, const struct sh_cohort *c, bool stay, struct sh_error *err)
{
	struct settling s = { .dedup = d, .stay = stay };
	int status = -1;

	if (sort_pairs(&s, err) == 0 && make_items(&s, err) == 0) {
		if (stay)
			keep_others(&s, c);
		status = settle_items(&s, err);
	}
	sh_sorted_put(&s.pairs, d->opts.tables);
	sh_tables_put(d->opts.tables, s.item);
	return status;
}

/* ---- cohorts ---- */

/* Of `rest` those go that are like one of `staying`, whose places are in lo .. hi-1 and better. */
static int drop(struct sh_dedup *d, struct sh_cohort *staying, struct sh_cohort *rest, uint32_t lo,
    uint32_t hi, struct sh_error *err)
{
	uint32_t mid = lo + (hi - lo) / 2;
	struct sh_cohort half = { 0 }, left = { 0 };
	int got, status = -1;

	if (!staying->n || !rest->n)
		return 0;
	got = find_pairs(d, staying, rest, err);
	if (got != 0)
		return got < 0 ? -1 : settle_pairs(d, rest, false, err);
	if (sh_cohort_pick(d, staying, lo, mid, true, &half, err) == 0 &&
	    drop(d, &half, rest, lo, mid, err) == 0) {
		sh_cohort_put(d, &half);
		if (sh_cohort_pick(d, staying, mid, hi, true, &half, err) == 0 &&
		    sh_cohort_pick(d, rest, hi, UINT32_MAX, false, &left, err) == 0)
			status = drop(d, &half, &left, mid, hi, err);
	}
	sh_cohort_put(d, &half);
	sh_cohort_put(d, &left);
	return status;
}

static int settle_cohort(
    struct sh_dedup *d, struct sh_cohort *c, uint32_t lo, uint32_t hi, struct sh_error *err);

/* The better half, up to mid, and what of the rest goes to it; *rest is what is left. */
static int settle_half(struct sh_dedup *d, const struct sh_cohort *c, uint32_t lo, uint32_t mid,
    struct sh_cohort *rest, struct sh_error *err)
{
	struct sh_cohort half = { 0 }, staying = { 0 }, all = { 0 };
	int status = -1;

	if (sh_cohort_pick(d, c, lo, mid, false, &half, err) == 0 &&
	    settle_cohort(d, &half, lo, mid, err) == 0 &&
	    sh_cohort_pick(d, c, lo, mid, true, &staying, err) == 0 &&
	    sh_cohort_pick(d, c, mid, UINT32_MAX, false, &all, err) == 0 &&
	    drop(d, &staying, &all, lo, mid, err) == 0)
		status = sh_cohort_pick(d, &all, mid, UINT32_MAX, false, rest, err);
	sh_cohort_put(d, &half);
	sh_cohort_put(d, &staying);
	sh_cohort_put(d, &all);
	return status;
}

/* One whose places are in lo .. hi-1, and that is near no other that may still stay or go. */
static int settle_cohort(
    struct sh_dedup *d, struct sh_cohort *c, uint32_t lo, uint32_t hi, struct sh_error *err)
{
	uint32_t mid = lo + (hi - lo) / 2;
	struct sh_cohort rest = { 0 };
	int got = find_pairs(d, c, NULL, err), status;

	if (got != 0)
		return got < 0 ? -1 : settle_pairs(d, c, true, err);
	status = settle_half(d, c, lo, mid, &rest, err);
	if (status == 0)
		status = settle_cohort(d, &rest, mid, hi, err);
	sh_cohort_put(d, &rest);
	return status;
}

int sh_dedup_stars(struct sh_dedup *d, struct sh_error *err)
{
	for (uint32_t v = 0; v < d->n_vertices; v++)
		d->taker[v] = SH_NO_TAKER;
	return settle_cohort(d, &d->all, 0, d->n_vertices, err);
}
