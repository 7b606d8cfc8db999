#include "join/halves.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "io/parallel.h"
#include "join/near.h"

enum {
	/* limit of candidates, as a multiple of the number for random fingerprints */
	UNEVEN = 2,
	AT_ONCE = 256, /* pairs whose names are looked up together */
};

/* The fingerprints in the order of the first bits of one half; see near.h. */
struct half {
	const uint64_t *word;
	uint32_t *start;
	uint16_t *rest;
};

/* A pair by its words. The order has nth_x fingerprints equal to x before this one, and nth_y equal
 * to y. */
struct pair {
	uint64_t x, y;
	uint32_t nth_x, nth_y;
};

struct halves {
	struct sh_join *join;
	struct sh_side *x, *scratch;
	unsigned bits; /* number of bits of a key */
	uint16_t mask; /* 1 for each bit of a rest */
	struct half upper, lower;
	bool equal;     /* some fingerprints occur more than once */
	bool lower_now; /* the scan is the second one */
	size_t tasks;
};

/* The state of one thread. */
struct sh_halver {
	const struct halves *all;
	struct sh_joiner *joiner;
	bool equal; /* some fingerprints of its tasks occur more than once */
	size_t pairs;
	/* pairs found by the lower half, whose names are not looked up yet */
	struct pair pair[AT_ONCE];
	struct sh_near scan;
};

static bool send_if_full(struct sh_joiner *w)
{
	return w->pairs < SH_JOIN_PAIRS || sh_joiner_send(w);
}

static void add_pair(struct sh_joiner *w, uint32_t a, uint32_t b, unsigned distance)
{
	uint32_t least = a < b ? a : b;

	w->pair[w->pairs++] = (struct sh_join_pair){ least, a ^ b ^ least, distance };
}

static bool add_upper(void *ctx, const struct sh_scan_match *match, size_t n)
{
	struct sh_halver *t = ctx;
	const struct halves *h = t->all;
	const uint64_t *word = h->upper.word;

	for (size_t i = 0; i < n; i++) {
		unsigned d = sh_count_bits(word[match[i].x] ^ word[match[i].y]);

		if (d > h->join->k)
			continue;
		t->equal |= d == 0;
		add_pair(t->joiner, h->x->id[match[i].x], h->x->id[match[i].y], d);
		if (!send_if_full(t->joiner))
			return false;
	}
	return true;
}

static uint32_t upper_key(const struct halves *h, uint64_t word)
{
	return (uint32_t)(word >> (64 - h->bits));
}

/* Returns the position of the fingerprint `word` in the order of the upper half: of several equal
 * ones the one that has `nth` before it. */
static uint32_t position_of(const struct halves *h, uint64_t word, uint32_t nth)
{
	uint32_t at = h->upper.start[upper_key(h, word)];

	while (h->x->word[at] != word || nth-- > 0)
		at++;
	return at;
}

/* Returns the number of fingerprints before position `at` of the lower order that are equal to the
 * one at this position. Equal fingerprints have the same sequence in both orders. */
static uint32_t equal_before(const struct halves *h, uint32_t at)
{
	const uint64_t *word = h->lower.word;
	uint32_t key = (uint32_t)word[at] >> (32 - h->bits), n = 0;

	for (uint32_t i = h->lower.start[key]; i < at; i++)
		n += word[i] == word[at];
	return n;
}

/* Looks up the names of the stored pairs, and sends the pairs. */
static bool send_pairs(struct sh_halver *t)
{
	const struct halves *h = t->all;
	const struct pair *pair = t->pair;
	size_t n = t->pairs;

	t->pairs = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t x = position_of(h, pair[i].x, pair[i].nth_x);
		uint32_t y = position_of(h, pair[i].y, pair[i].nth_y);

		add_pair(t->joiner, h->x->id[x], h->x->id[y], sh_count_bits(pair[i].x ^ pair[i].y));
		if (!send_if_full(t->joiner))
			return false;
	}
	return true;
}

static bool add_lower(void *ctx, const struct sh_scan_match *match, size_t n)
{
	struct sh_halver *t = ctx;
	const struct halves *h = t->all;
	const uint64_t *word = h->lower.word;

	for (size_t i = 0; i < n; i++) {
		uint64_t x = word[match[i].x], y = word[match[i].y], diff = x ^ y;

		if (sh_count_bits(diff) > h->join->k || sh_count_bits(diff >> 32) < 2)
			continue;
		t->pair[t->pairs++] =
		    (struct pair){ x, y, h->equal ? equal_before(h, match[i].x) : 0,
			    h->equal ? equal_before(h, match[i].y) : 0 };
		if (t->pairs == AT_ONCE && !send_pairs(t))
			return false;
	}
	return true;
}

/* Clears the rests beyond the end. The scan reads and ignores them. */
static void end_rest(struct half *a, uint32_t n)
{
	memset(a->rest + n, 0, SH_NEAR_PAD * sizeof *a->rest);
}

/* Returns whether the buckets have more than UNEVEN times the candidates of random fingerprints. */
static bool uneven(const struct halves *h, const struct half *a)
{
	uint64_t n = h->x->n, sum = 0;

	if (h->join->limits.halve)
		return false;
	for (uint32_t v = 0; v < UINT32_C(1) << h->bits; v++) {
		uint64_t many = a->start[v + 1] - a->start[v];

		sum += many * many;
	}
	return sum > UNEVEN * n * (1 + (n >> h->bits));
}

/* ---- the order of the upper half ---- */

/* The state of one thread. */
struct walker {
	const struct halves *all;
	bool unordered; /* the words of its segments are not in order */
};

/* Returns the first position of a segment. There is one segment for each thread. */
static uint32_t segment_at(const struct halves *h, size_t segment)
{
	return (uint32_t)((uint64_t)h->x->n * segment / h->join->threads);
}

/* Stores the rests of a segment, and the starts of the buckets that begin in the segment. Returns
 * false when its words are not in order. Never stores a start that belongs to another segment. */
static bool walk_segment(const struct halves *h, size_t segment)
{
	uint32_t from = segment_at(h, segment), to = segment_at(h, segment + 1);
	uint32_t *start = h->upper.start, next, last;
	const uint64_t *word = h->x->word;

	if (from == to)
		return true;
	next = from ? upper_key(h, word[from - 1]) + 1 : 0;
	last = upper_key(h, word[to - 1]);
	for (uint32_t i = from; i < to; i++) {
		uint32_t key = upper_key(h, word[i]);

		if (key + 1 < next || key > last)
			return false;
		while (next <= key)
			start[next++] = i;
		h->upper.rest[i] = (uint16_t)(word[i] >> 32) & h->mask;
	}
	return true;
}

static int walk_segments(void *walker, size_t from, size_t to, struct sh_error *err)
{
	struct walker *w = walker;

	(void)err;
	for (size_t i = from; i < to; i++)
		w->unordered |= !walk_segment(w->all, i);
	return 0;
}

/* Returns whether the last keys of the segments ascend. */
static bool ends_ascend(const struct halves *h)
{
	uint32_t before = 0;

	for (size_t i = 1; i <= h->join->threads; i++) {
		uint32_t end = segment_at(h, i), key;

		if (end == 0)
			continue;
		key = upper_key(h, h->x->word[end - 1]);
		if (key < before)
			return false;
		before = key;
	}
	return true;
}

/* Fills `start` and `rest` of the upper half. Returns 1; 0 when the words are not in order; or
 * -1. */
static int walk_upper(struct halves *h)
{
	unsigned threads = h->join->threads;
	struct walker *w = calloc(threads, sizeof *w);
	bool unordered = !ends_ascend(h);
	int status = w ? 0 : sh_error_nomem(h->join->err);

	for (unsigned i = 0; w && i < threads; i++)
		w[i].all = h;
	if (status == 0 && !unordered)
		status =
		    sh_parallel(w, sizeof *w, threads, threads, 1, walk_segments, h->join->err);
	for (unsigned i = 0; w && i < threads; i++)
		unordered |= w[i].unordered;
	free(w);
	if (status < 0 || unordered)
		return status;
	for (uint32_t v = upper_key(h, h->x->word[h->x->n - 1]) + 1; v <= UINT32_C(1) << h->bits;
	     v++)
		h->upper.start[v] = h->x->n;
	return 1;
}

static int order_upper(struct halves *h)
{
	struct sh_join *j = h->join;
	int status = walk_upper(h);
	struct sh_key key;

	if (status == 0) {
		sh_key_init(&key, UINT64_MAX << (64 - h->bits));
		status = sh_side_order_by(
		    j->threads, h->x, &key, false, h->upper.start, h->scratch, j->err);
		if (status == 0)
			status = walk_upper(h);
	}
	end_rest(&h->upper, h->x->n);
	h->upper.word = h->x->word;
	return status < 0 ? -1 : 0;
}

/* ---- the order of the lower half ---- */

/* The state of a thread that orders partitions. */
struct orderer {
	struct halves *all;
	const struct sh_split *split;
	uint32_t *next;
	uint64_t *room;
	size_t cap;
};

static int order_partition(struct orderer *o, uint32_t i, struct sh_error *err)
{
	struct halves *h = o->all;
	const struct sh_split *p = o->split;
	uint32_t from = p->start[i], to = p->start[i + 1];

	if (SH_RESERVE(o->room, o->cap, to - from, err) < 0)
		return -1;
	sh_split_order_words(
	    p, i, h->scratch->word, o->room, h->lower.start + ((size_t)i << p->rest), o->next);
	for (uint32_t at = from; at < to; at++)
		h->lower.rest[at] = (uint16_t)h->lower.word[at] & h->mask;
	return 0;
}

static int order_partitions(void *orderer, size_t from, size_t to, struct sh_error *err)
{
	int status = 0;

	for (size_t i = from; status == 0 && i < to; i++)
		status = order_partition(orderer, (uint32_t)i, err);
	return status;
}

/* Orders the partitions. Each partition fits in the cache. */
static int order_all(struct halves *h, const struct sh_split *split)
{
	unsigned threads = h->join->threads;
	struct sh_error *err = h->join->err;
	struct orderer *o = calloc(threads, sizeof *o);
	int status = o ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < threads; i++) {
		o[i] = (struct orderer){ .all = h, .split = split };
		o[i].next = malloc(sizeof *o[i].next << split->rest);
		if (!o[i].next)
			status = sh_error_nomem(err);
	}
	if (status == 0)
		status = sh_parallel(o, sizeof *o, threads, split->parts, 1, order_partitions, err);
	for (unsigned i = 0; o && i < threads; i++) {
		free(o[i].next);
		free(o[i].room);
	}
	free(o);
	return status;
}

static int order_lower(struct halves *h)
{
	struct sh_join *j = h->join;
	struct sh_split split;
	struct sh_key key;
	int status;

	sh_key_init(&key, (UINT64_MAX << (64 - h->bits)) >> 32);
	h->lower.word = h->scratch->word;
	status = sh_split_init(&split, j->threads, h->x, &key, j->err);
	if (status == 0)
		status = sh_split_move_words(&split, h->x->word, h->scratch->word, j->err);
	if (status == 0)
		status = order_all(h, &split);
	sh_split_free(&split);
	h->lower.start[UINT32_C(1) << h->bits] = h->x->n;
	end_rest(&h->lower, h->x->n);
	return status;
}

/* ---- scans ---- */

static uint32_t bucket_at(const struct halves *h, size_t task)
{
	return (uint32_t)(((uint64_t)task << h->bits) / h->tasks);
}

/* Scans the buckets of a task. */
static int scan_task(void *joiner, struct sh_job *job)
{
	struct sh_joiner *w = joiner;
	struct sh_halver *t = w->halver;
	const struct halves *h = t->all;
	const struct half *a = h->lower_now ? &h->lower : &h->upper;
	struct sh_near *s = &t->scan;

	w->job = job;
	w->err = &job->err;
	w->pairs = t->pairs = 0;
	s->rest = a->rest;
	s->start = a->start;
	s->bits = h->bits;
	s->from = bucket_at(h, job->task);
	s->to = bucket_at(h, job->task + 1);
	s->flush = h->lower_now ? add_lower : add_upper;
	s->ctx = t;
	h->join->kernel->near(s);
	return s->ended || !send_pairs(t) || !sh_joiner_send(w) ? -1 : 0;
}

static int scan(struct halves *h, bool lower)
{
	h->lower_now = lower;
	return sh_join_tasks(h->join, h->tasks, scan_task, h->join->err);
}

static int make_halvers(struct halves *h)
{
	struct sh_join *j = h->join;

	for (unsigned i = 0; i < j->threads; i++) {
		struct sh_joiner *w = j->joiner[i];

		if (!w->halver)
			w->halver = aligned_alloc(_Alignof(struct sh_halver), sizeof *w->halver);
		if (!w->halver)
			return sh_error_nomem(j->err);
		memset(w->halver, 0, sizeof *w->halver);
		w->halver->all = h;
		w->halver->joiner = w;
	}
	return 0;
}

static bool found_equal(const struct halves *h)
{
	bool equal = false;

	for (unsigned i = 0; i < h->join->threads; i++)
		equal |= ((struct sh_joiner *)h->join->joiner[i])->halver->equal;
	return equal;
}

static int join(struct halves *h)
{
	if (sh_side_reserve(h->scratch, (size_t)h->x->n + SH_NEAR_PAD, h->join->err) < 0)
		return -1;
	h->mask = (uint16_t)((UINT32_C(1) << (32 - h->bits)) - 1);
	h->upper.rest = (void *)h->scratch->id;
	h->lower.rest = h->upper.rest + h->x->n + SH_NEAR_PAD;
	if (order_upper(h) < 0)
		return -1;
	if (uneven(h, &h->upper))
		return 1;
	if (order_lower(h) < 0)
		return -1;
	if (uneven(h, &h->lower))
		return 1;
	h->tasks = sh_join_cut(h->join, h->x->n);
	if (make_halvers(h) < 0 || scan(h, false) < 0)
		return -1;
	h->equal = found_equal(h);
	return scan(h, true);
}

int sh_halves_join(struct sh_join *j, struct sh_side *x, struct sh_side *scratch)
{
	struct halves all = { .join = j, .x = x, .scratch = scratch }, *h = &all;
	size_t buckets;
	int status = -1;

	h->bits = j->top->plan.block[0].bits;
	buckets = (size_t)1 << h->bits;
	h->upper.start = malloc((buckets + 1) * sizeof *h->upper.start);
	h->lower.start = malloc((buckets + 1) * sizeof *h->lower.start);
	if (h->upper.start && h->lower.start)
		status = join(h);
	else
		sh_error_nomem(j->err);
	free(h->upper.start);
	free(h->lower.start);
	return status;
}
