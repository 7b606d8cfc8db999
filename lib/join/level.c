#include "join/level.h"

#include "base/bisect.h"

#include <stdlib.h>
#include <string.h>

/* Lists all masks of `bits` bits with at most `radius` bits set, in the order of the number of set
 * bits. */
static int list_flips(struct sh_level *l, unsigned bits, unsigned radius, struct sh_error *err)
{
	double volume = 1, term = 1;
	uint32_t n = 0;

	for (unsigned d = 1; d <= radius && d <= bits; d++)
		volume += term = term * (bits - d + 1) / d;
	free(l->flip);
	l->flip = malloc((size_t)volume * sizeof *l->flip);
	if (l->flip == NULL)
		return sh_error_nomem(err);
	l->flip[n++] = 0;
	for (unsigned d = 1; d <= radius && d <= bits; d++) {
		uint64_t mask = (UINT64_C(1) << d) - 1;

		/* Gosper's step: the next larger number with the same number of set bits. */
		while (mask < UINT64_C(1) << bits) {
			uint64_t low = mask & -mask, up = mask + low;

			l->flip[n++] = (uint32_t)mask;
			mask = up | ((mask ^ up) >> 2) / low;
		}
	}
	l->flips = n;
	return 0;
}

/* Loads the given word of each fingerprint of the range, unless the side holds it. */
static void hold_word(const struct sh_level *l, const struct sh_range *r, unsigned word)
{
	if (r->side->words == 1)
		return;
	if (l->parent != NULL)
		sh_side_fetch(r->side, r->lo, r->n, word);
	else if (r->side->loaded != word)
		sh_side_load(r->side, word);
}

static bool join_buckets(void *ctx, uint32_t v, uint32_t u);

/* Prepares the scan of bucket 0. limit: two buckets with more candidates become a level. */
static void prepare_scan(struct sh_level *l, uint64_t limit)
{
	struct sh_scan *s = &l->scan;

	s->x = l->x.side->word;
	s->y = l->y.side->word;
	s->x_start = l->x_start;
	s->y_start = l->self ? l->x_start : l->y_start;
	s->from = 0;
	s->to = 1;
	s->within = 0;
	s->flip = l->flip;
	s->flips = l->flips;
	s->self = l->self;
	s->k = l->join->k;
	s->limit = limit;
	s->flush = sh_level_add_matches;
	s->large = join_buckets;
	s->ctx = l;
	sh_level_list_earlier(l);
}

/* Scans the buckets from .. to-1. Returns 0, or -1 when the receiver or a nested level failed. */
static int run_scan(struct sh_level *l, uint32_t from, uint32_t to)
{
	prepare_scan(l, l->join->limits.large);
	l->scan.from = from;
	l->scan.to = to;
	l->join->kernel->scan(&l->scan);
	return l->scan.ended ? -1 : 0;
}

/* Returns the index of the word in which the fingerprints differ most, by a small sample. */
static unsigned most_different_word(const struct sh_level *l)
{
	uint32_t n = l->x.n < l->y.n ? l->x.n : l->y.n, step = n / 16 + 1;
	unsigned best = 0, most = 0;

	for (unsigned w = 0; w < l->join->words; w++) {
		unsigned d = 0;

		for (uint32_t i = 0; i < n; i += step) {
			uint32_t a = l->x.side->id[l->x.lo + i];
			uint32_t b = l->y.side->id[l->y.lo + (l->self ? n - 1 - i : i)];

			d += sh_fp_distance(l->x.side->fp + (size_t)a * l->join->words + w,
			    l->y.side->fp + (size_t)b * l->join->words + w, 1);
		}
		if (d > most) {
			most = d;
			best = w;
		}
	}
	return best;
}

/* ---- tasks ------------------------------------------------------------------------------ */

/* Begins a task of the top level. Returns the joiner's copy of that level. */
static struct sh_level *begin_task(struct sh_joiner *w, struct sh_job *job)
{
	struct sh_level *l = w->level;

	memcpy(l, w->join->top, offsetof(struct sh_level, own));
	l->joiner = w;
	w->job = job;
	w->err = &job->err;
	w->pairs = 0;
	return l;
}

static int end_task(struct sh_joiner *w, int status)
{
	return status < 0 || !sh_joiner_send(w) ? -1 : 0;
}

/* Returns the first of n elements that belongs to task t. */
static uint32_t cut_at(const struct sh_level *l, size_t t, uint32_t n)
{
	return (uint32_t)((uint64_t)n * t / l->tasks);
}

/* Compares the elements from .. to-1 of x with all elements of y. In a self-join, compares each of
 * them with the elements before it. */
static int compare_range(struct sh_level *l, uint32_t from, uint32_t to)
{
	uint32_t x_start[2] = { l->x.lo + (l->self ? 0 : from), l->x.lo + to };
	uint32_t y_start[2] = { l->y.lo, l->y.lo + l->y.n };
	uint32_t flip[1] = { 0 };

	l->x_start = x_start;
	l->y_start = y_start;
	l->flip = flip;
	l->flips = 1;
	prepare_scan(l, UINT64_MAX);
	l->scan.within = l->x.lo + from;
	l->join->kernel->scan(&l->scan);
	l->x_start = l->y_start = l->flip = NULL;
	return l->scan.ended ? -1 : 0;
}

/* Returns cut_at(), rounded down to whole tiles. So the cut has no effect on the order of pairs. */
static uint32_t tiles_at(const struct sh_level *l, size_t t)
{
	return t < l->tasks ? cut_at(l, t, l->x.n) / SH_SCAN_TILE * SH_SCAN_TILE : l->x.n;
}

static int compare_task(void *joiner, struct sh_job *job)
{
	struct sh_level *l = begin_task(joiner, job);

	return end_task(
	    joiner, compare_range(l, tiles_at(l, job->task), tiles_at(l, job->task + 1)));
}

static int compare_all(struct sh_level *l)
{
	unsigned word = l->join->words > 1 ? most_different_word(l) : 0;

	hold_word(l, &l->x, word);
	if (!l->self)
		hold_word(l, &l->y, word);
	if (l->parent)
		return compare_range(l, 0, l->x.n);
	l->tasks = sh_join_cut(l->join, l->x.n);
	return sh_join_tasks(l->join, l->tasks, compare_task, l->join->err);
}

/* Returns the first bucket of task t. All tasks have about the same number of elements of x. */
static uint32_t bucket_at(const struct sh_level *l, size_t t)
{
	uint32_t at = l->x.lo + cut_at(l, t, l->x.n), low = 0;
	uint32_t high = UINT32_C(1) << l->plan.block[l->at].bits;

	if (t < l->tasks)
		SH_BISECT(low, high, mid, l->x_start[mid] < at);
	return high;
}

static int bucket_task(void *joiner, struct sh_job *job)
{
	struct sh_level *l = begin_task(joiner, job);

	return end_task(joiner, run_scan(l, bucket_at(l, job->task), bucket_at(l, job->task + 1)));
}

/* Joins radix partition i in a copy, w->part: the range keeps its order. */
static int join_partition(struct sh_level *l, struct sh_joiner *w, uint32_t i, uint32_t *start)
{
	const struct sh_split *p = l->split;
	struct sh_side *part = &w->part;

	if (sh_side_reserve(part, p->most, w->err) < 0 ||
	    sh_side_reserve(&w->part_scratch, p->most, w->err) < 0)
		return -1;
	part->words = 1;
	l->x = l->y = (struct sh_range){ part, 0, p->start[i + 1] - p->start[i] };
	l->x_start = start;
	sh_split_order(p, i, l->scratch, part, start, start + (UINT32_C(1) << p->rest) + 1);
	l->scratch = &w->part_scratch;
	memset(part->word + l->x.n, 0, SH_SCAN_TILE * sizeof *part->word);
	return run_scan(l, 0, UINT32_C(1) << p->rest);
}

static int partition_task(void *joiner, struct sh_job *job)
{
	struct sh_joiner *w = joiner;
	struct sh_level *l = begin_task(w, job);
	size_t n = (size_t)1 << l->split->rest;
	uint32_t *start = malloc((2 * n + 1) * sizeof *start);
	int status =
	    start ? join_partition(l, w, (uint32_t)job->task, start) : sh_error_nomem(w->err);

	free(start);
	return end_task(w, status);
}

/* ---- blocks ----------------------------------------------------------------------------- */

static int get_starts(struct sh_level *l, struct sh_error *err)
{
	unsigned bits = 0;
	size_t n;

	for (unsigned i = 0; i < l->plan.blocks; i++)
		if (l->plan.block[i].bits > bits)
			bits = l->plan.block[i].bits;
	n = (size_t)1 << bits;
	l->x_start = malloc((n + 1) * sizeof *l->x_start);
	l->y_start = l->self ? NULL : malloc((n + 1) * sizeof *l->y_start);
	l->next = malloc(n * sizeof *l->next);
	if (l->x_start == NULL || l->next == NULL || (!l->self && l->y_start == NULL))
		return sh_error_nomem(err);
	return 0;
}

/* Returns whether a block may be joined in radix partitions that fit in the cache. Each partition
 * is joined as soon as it is in order. */
static bool may_split(const struct sh_level *l, const struct sh_key *key)
{
	const struct sh_join *j = l->join;

	return l->parent == NULL && l->self && j->words == 1 && l->plan.block[l->at].radius == 0 &&
	       key->bits >= 2 && l->x.n > j->limits.cached;
}

/* Joins the block in radix partitions. Returns 0; 1 when the largest partition does not fit in the
 * cache, and then no pair has been reported; or -1. */
static int join_partitions(struct sh_level *l, const struct sh_key *key)
{
	struct sh_join *j = l->join;
	struct sh_split split;
	int status = sh_split_init(&split, j->threads, l->x.side, key, j->err);

	l->split = &split;
	if (status == 0 && split.most > j->limits.cached)
		status = 1;
	if (status == 0)
		status = sh_split_move(&split, l->x.side, false, l->scratch, j->err);
	if (status == 0)
		status = sh_join_tasks(j, split.parts, partition_task, j->err);
	sh_split_free(&split);
	return status;
}

static int order_range(struct sh_level *l, struct sh_range *r, const struct sh_key *key,
    unsigned word, uint32_t *start)
{
	hold_word(l, r, word);
	if (!l->parent)
		return sh_side_order_by(
		    l->join->threads, r->side, key, false, start, l->scratch, l->join->err);
	sh_side_order(r->side, r->lo, r->n, key, start, l->scratch, l->next);
	return 0;
}

static int join_block(struct sh_level *l)
{
	const struct sh_block *b = &l->plan.block[l->at];
	struct sh_join *j = l->join;
	struct sh_key key;
	int status;

	if (list_flips(l, b->bits, b->radius, l->joiner->err) < 0)
		return -1;
	sh_key_init(&key, b->mask);
	status = may_split(l, &key) ? join_partitions(l, &key) : 1;
	if (status <= 0)
		return status;
	if (order_range(l, &l->x, &key, b->word, l->x_start) < 0)
		return -1;
	if (!l->self && order_range(l, &l->y, &key, b->word, l->y_start) < 0)
		return -1;
	if (l->parent)
		return run_scan(l, 0, UINT32_C(1) << b->bits);
	l->tasks = sh_join_cut(j, l->x.n);
	return sh_join_tasks(j, l->tasks, bucket_task, j->err);
}

int sh_level_join(struct sh_level *l)
{
	int status = 0;

	if (l->plan.blocks == 0)
		return compare_all(l);
	status = get_starts(l, l->joiner->err);
	for (l->at = 0; l->at < l->plan.blocks && status == 0; l->at++)
		status = join_block(l);
	free(l->x_start);
	free(l->y_start);
	free(l->next);
	free(l->flip);
	l->x_start = l->y_start = l->next = l->flip = NULL;
	return status;
}

/* Copies a range to `own`, and makes the copy the range. */
static int copy_range(struct sh_level *l, struct sh_range *r, struct sh_side *own)
{
	const struct sh_side *s = r->side;

	if (sh_side_reserve(own, r->n, l->joiner->err) < 0)
		return -1;
	own->fp = s->fp;
	own->words = s->words;
	memcpy(own->word, s->word + r->lo, r->n * sizeof *own->word);
	memcpy(own->id, s->id + r->lo, r->n * sizeof *own->id);
	memset(own->word + r->n, 0, SH_SCAN_TILE * sizeof *own->word);
	*r = (struct sh_range){ own, 0, r->n };
	return 0;
}

/* Copies the ranges of a level, because other threads may read them and this level reorders
 * them. */
static int copy_ranges(struct sh_level *l)
{
	if (copy_range(l, &l->x, &l->own[0]) < 0)
		return -1;
	if (l->self)
		l->y = l->x;
	else if (copy_range(l, &l->y, &l->own[1]) < 0)
		return -1;
	l->scratch = &l->own[2];
	return sh_side_reserve(l->scratch, l->x.n > l->y.n ? l->x.n : l->y.n, l->joiner->err);
}

/* Joins two buckets of `up`. */
static bool join_lower(struct sh_level *l, const struct sh_level *up)
{
	unsigned words = l->join->words, word = up->plan.block[up->at].word;
	/* Other threads read the sides of the top level, except a partition in joiner->part. */
	bool shared = up->parent == NULL && up->x.side != &l->joiner->part;
	uint32_t few = l->join->limits.few;

	if (l->depth < SH_LEVEL_DEPTH && l->x.n >= few && l->y.n >= few)
		sh_level_plan(l);
	if (shared && (words > 1 || l->plan.blocks > 0) && copy_ranges(l) < 0)
		return false;
	if (sh_level_join(l) < 0)
		return false;
	if (!shared && words > 1) {
		sh_side_fetch(l->x.side, l->x.lo, l->x.n, word);
		sh_side_fetch(l->y.side, l->y.lo, l->y.n, word);
	}
	return true;
}

/* Joins bucket v of x and bucket u of y, which have too many candidates, by a level of their
 * own. */
static bool join_buckets(void *ctx, uint32_t v, uint32_t u)
{
	struct sh_level *up = ctx, *l = malloc(sizeof *l);
	bool good;

	if (l == NULL)
		return sh_error_nomem(up->joiner->err) == 0;
	/* The members from `earlier` on are large, and are written before they are read. */
	memset(l, 0, offsetof(struct sh_level, earlier));
	l->join = up->join;
	l->joiner = up->joiner;
	l->parent = up;
	l->scratch = up->scratch;
	l->depth = up->depth + 1;
	l->self = up->self && v == u;
	l->x = (struct sh_range){ up->x.side, up->scan.x_start[v],
		up->scan.x_start[v + 1] - up->scan.x_start[v] };
	l->y = (struct sh_range){ up->y.side, up->scan.y_start[u],
		up->scan.y_start[u + 1] - up->scan.y_start[u] };
	l->k = up->k - (unsigned)__builtin_popcountll(v ^ u);
	good = join_lower(l, up);
	for (unsigned i = 0; i < 3; i++)
		sh_side_free(&l->own[i]);
	free(l);
	return good;
}
