/* SPDX-License-Identifier: MIT */
#include "join/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/bits.h"
#include "hash/mix.h"

enum {
	PAIRS = 1024,      /* handed over at once */
	DEPTH = 8,         /* levels that have blocks */
	SAMPLE = 4096,     /* fingerprints in the sample of the first level */
	SAMPLE_DEEP = 512, /* fingerprints in the samples of the levels below it */
	LONG_STEP = 256,   /* with steps of at least this many fingerprints, samples are random */
};

/* What one thread works with. */
struct worker {
	struct sh_join *join;
	const struct level *level; /* that it scans */
	struct sh_job *job;        /* receives the pairs of the current task */
	struct sh_error *err;      /* of the current task */
	size_t pairs;
	struct sh_join_pair pair[PAIRS];
};

struct sh_join {
	unsigned bits, k, words, threads;
	struct sh_join_limits limits;
	const struct sh_band_table *table;
	void **worker; /* one struct worker a thread */

	/* Of the current join. */
	struct level *top;
	sh_join_fn *each;
	void *ctx;
};

/* The join of two sides by one plan. Levels nest: two buckets with too many candidates become the
 * sides of a level of their own, whose plan uses the bits that the levels above have not used. */
struct level {
	struct sh_join *join;
	const struct level *parent; /* NULL: the first level */
	unsigned depth;
	struct sh_join_side *x, *y, *room; /* self-join: y is x */
	unsigned k; /* distance left for the bits that no level above has used */
	/* Without blocks all pairs are compared: block 0 then has no bits, and one bucket. */
	struct sh_plan plan;
	unsigned at;         /* the block being joined */
	struct sh_scan scan; /* of that block */
	size_t tasks;
};

static const struct sh_join_limits defaults = {
	.small = 1 << 18,
	.large = 1 << 22,
	.few = 256,
	.brute_factor = 1,
	.task = 1 << 12,
};

/* ---- the object ------------------------------------------------------------------------- */

struct sh_join *sh_join_new(unsigned bits, unsigned k, unsigned threads, struct sh_error *err)
{
	struct sh_join *j;

	if (!sh_fp_width_ok(bits)) {
		sh_error_set(err, SH_ERR_PARAM,
		    "%u bits: a fingerprint has 4 to %d bits, a multiple of 4", bits,
		    SH_FP_MAX_BITS);
		return NULL;
	}
	j = calloc(1, sizeof *j);
	if (j == NULL || !(j->worker = calloc(threads, sizeof *j->worker))) {
		free(j);
		sh_error_nomem(err);
		return NULL;
	}
	j->bits = bits;
	j->k = k;
	j->words = SH_FP_WORDS(bits);
	sh_join_set_limits(j, &defaults);
	for (; j->threads < threads; j->threads++) {
		struct worker *w = calloc(1, sizeof *w);

		if (!w) {
			sh_error_nomem(err);
			sh_join_delete(j);
			return NULL;
		}
		w->join = j;
		j->worker[j->threads] = w;
	}
	return j;
}

void sh_join_delete(struct sh_join *j)
{
	if (j == NULL)
		return;
	for (unsigned i = 0; i < j->threads; i++)
		free(j->worker[i]);
	free(j->worker);
	free(j);
}

void sh_join_set_table(struct sh_join *j, const struct sh_band_table *t)
{
	j->table = t;
}

void sh_join_set_limits(struct sh_join *j, const struct sh_join_limits *limits)
{
	j->limits = *limits;
	if (!j->limits.kernel)
		j->limits.kernel = sh_kernel_at(0);
}

/* Returns the fingerprint at this position of the side. */
static const uint64_t *fp_at(const struct sh_join_side *s, uint32_t at)
{
	return s->words == 1 ? &s->word[at] : s->fp + (size_t)s->number[at] * s->words;
}

/* ---- plans ------------------------------------------------------------------------------ */

/* Stores the share of ones at each bit, in a sample of at most `most` fingerprints of the side. The
 * side may be in ascending order: elements at equal steps would then agree in many low bits. So
 * with long steps each element is drawn at random within its step. */
static void count_ones(const struct sh_join_side *s, unsigned bits, uint32_t most, double *share)
{
	uint32_t n = s->n < most ? s->n : most, step = n ? s->n / n : 0;
	uint32_t ones[SH_FP_MAX_BITS] = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = (uint32_t)((uint64_t)s->n * i / n);
		const uint64_t *fp;

		if (step >= LONG_STEP)
			at += (uint32_t)(sh_mix_moremur(i) % step);
		fp = fp_at(s, at);
		for (unsigned b = 0; b < bits; b++)
			ones[b] += (uint32_t)(fp[b / 64] >> (63 - b % 64) & 1);
	}
	for (unsigned b = 0; b < bits; b++)
		share[b] = n > 0 ? (double)ones[b] / n : 0;
}

/* Chooses l->plan by a sample of the sides. */
static void make_plan(struct level *l)
{
	const struct sh_join *j = l->join;
	struct sh_plan_sets sets = {
		.bits = j->bits,
		.k = l->k,
		.nx = l->x->n,
		.ny = l->y->n,
		.self = l->scan.self,
		.brute_factor = j->limits.brute_factor,
	};
	uint32_t sample = l->parent ? SAMPLE_DEEP : SAMPLE;
	double x[SH_FP_MAX_BITS], y[SH_FP_MAX_BITS];

	count_ones(l->x, j->bits, sample, x);
	if (!l->scan.self)
		count_ones(l->y, j->bits, sample, y);
	for (unsigned b = 0; b < j->bits; b++) {
		double q = l->scan.self ? x[b] : y[b];

		sets.agree[b] = x[b] * q + (1 - x[b]) * (1 - q);
	}
	for (const struct level *up = l->parent; up; up = up->parent) {
		const struct sh_block *used = &up->plan.block[up->at];

		for (unsigned b = 0; b < 64; b++)
			if (used->mask >> (63 - b) & 1)
				sets.agree[used->word * 64 + b] = 1;
	}
	sh_plan(&l->plan, &sets);
}

void sh_join_plan(const struct sh_join *j, struct sh_join_side *x, unsigned k, struct sh_plan *plan)
{
	struct sh_join copy = *j;
	struct level l = { .join = &copy, .scan.self = true, .x = x, .y = x, .k = k };

	make_plan(&l);
	*plan = l.plan;
}

/* Lists all masks of `bits` bits with at most `radius` bits set, in the order of the number of set
 * bits. */
static int list_flips(struct sh_scan *s, unsigned bits, unsigned radius, struct sh_error *err)
{
	double volume = 1, term = 1;
	uint32_t n = 0;

	for (unsigned d = 1; d <= radius && d <= bits; d++)
		volume += term = term * (bits - d + 1) / d;
	free(s->flip);
	s->flip = malloc((size_t)volume * sizeof *s->flip);
	if (s->flip == NULL)
		return sh_error_nomem(err);
	s->flip[n++] = 0;
	for (unsigned d = 1; d <= radius && d <= bits; d++) {
		uint64_t mask = (UINT64_C(1) << d) - 1;

		/* Gosper's step: the next larger number with the same number of set bits. */
		while (mask < UINT64_C(1) << bits) {
			uint64_t low = mask & -mask, up = mask + low;

			s->flip[n++] = (uint32_t)mask;
			mask = up | ((mask ^ up) >> 2) / low;
		}
	}
	s->flips = n;
	return 0;
}

/* ---- scans ------------------------------------------------------------------------------ */

/* Hands the stored pairs to the receiver. Returns false when it fails. */
static bool send(struct worker *w)
{
	size_t n = w->pairs;

	w->pairs = 0;
	return n == 0 || w->join->each(w->join->ctx, w->job, w->pair, n, w->err) == 0;
}

static bool found_by(const struct sh_block *b, const uint64_t *fx, const uint64_t *fy)
{
	uint64_t x = (fx[b->word] ^ fy[b->word]) & b->mask;

	return sh_count_bits(x) <= b->radius;
}

/* Stores the pair of a match, when it is within k and no earlier block of any level finds it. */
static bool match(void *worker, uint32_t at_x, uint32_t at_y)
{
	struct worker *w = worker;
	const struct level *l = w->level;
	const struct sh_join *j = w->join;
	const uint64_t *fx = fp_at(l->x, at_x), *fy = fp_at(l->y, at_y);
	unsigned distance = 0;
	uint32_t a, b;

	for (unsigned i = 0; i < j->words; i++)
		distance += sh_count_bits(fx[i] ^ fy[i]);
	if (distance > j->k)
		return true;
	for (const struct level *up = l; up; up = up->parent)
		for (unsigned i = 0; i < up->at; i++)
			if (found_by(&up->plan.block[i], fx, fy))
				return true;
	if (j->table && !sh_band_lowest(j->table, fx, fy))
		return true;
	a = l->x->number[at_x];
	b = l->y->number[at_y];
	w->pair[w->pairs++] = j->top->scan.self && a > b ? (struct sh_join_pair){ b, a, distance }
							 : (struct sh_join_pair){ a, b, distance };
	return w->pairs < PAIRS || send(w);
}

/* Scans task t: a range of the elements of x. All tasks have about the same number of elements. The
 * cut has no effect on the order of pairs. */
static bool scan_task(struct worker *w, size_t t)
{
	const struct level *l = w->level;
	struct sh_scan s = l->scan;
	uint32_t from = (uint32_t)((uint64_t)l->x->n * t / l->tasks);
	uint32_t to = (uint32_t)((uint64_t)l->x->n * (t + 1) / l->tasks);
	uint32_t v = 0, last = UINT32_C(1) << l->plan.block[l->at].bits;

	s.ctx = w;
	SH_BISECT(v, last, at, s.x_start[at + 1] <= from);
	return l->join->limits.kernel->scan(&s, v, from, to);
}

/* Scans for a task, or for the caller of the join, at the first level. */
static int scan_top(struct worker *w, struct sh_job *job, size_t task, struct sh_error *err)
{
	w->level = w->join->top;
	w->job = job;
	w->err = err;
	w->pairs = 0;
	return scan_task(w, task) && send(w) ? 0 : -1;
}

static int do_task(void *worker, struct sh_job *job)
{
	return scan_top(worker, job, job->task, &job->err);
}

/* Scans the current block. w is NULL at the first level, which has tasks for all threads. */
static int scan_block(struct level *l, struct worker *w, struct sh_job *out, struct sh_error *err)
{
	struct sh_join *j = l->join;
	struct sh_pool pool = { do_task, j->worker, j->threads, out->pool->done, out->pool->arg };

	l->tasks = w || j->threads == 1 ? 1 : l->x->n / (j->limits.task + 1) + 1;
	if (w)
		return scan_task(w, 0) ? 0 : -1;
	if (l->tasks == 1)
		return scan_top(j->worker[0], out, 0, err);
	return sh_job_flush(out, err) < 0 ? -1 : sh_pool_tasks(&pool, l->tasks, err);
}

/* ---- levels ----------------------------------------------------------------------------- */

/* Returns the index of the word in which the fingerprints differ most, by a small sample. */
static unsigned most_different_word(const struct level *l)
{
	uint32_t n = l->x->n < l->y->n ? l->x->n : l->y->n, step = n / 16 + 1;
	unsigned best = 0, most = 0;

	for (unsigned w = 0; l->join->words > 1 && w < l->join->words; w++) {
		unsigned d = 0;

		for (uint32_t i = 0; i < n; i += step)
			d += sh_count_bits(
			    fp_at(l->x, i)[w] ^ fp_at(l->y, l->scan.self ? n - 1 - i : i)[w]);
		if (d > most) {
			most = d;
			best = w;
		}
	}
	return best;
}

/* Orders a side by a block, and finds its buckets. Sets *largest to the size of the largest one. */
static int order(struct level *l, struct sh_join_side *s, const struct sh_block *b, uint32_t *start,
    uint32_t *largest, struct sh_error *err)
{
	unsigned threads = l->parent ? 1 : l->join->threads;

	sh_join_side_fetch(s, b->word);
	if (sh_join_side_order(s, l->room, b->mask, threads, err) < 0)
		return -1;
	*largest = sh_join_side_buckets(s, b->mask, start);
	return 0;
}

static bool join_large(void *worker, uint32_t v, uint32_t u);

/* Joins the sides of a level, block by block. */
static int join_level(struct level *l, struct worker *w, struct sh_job *out, struct sh_error *err)
{
	unsigned bits = 0, blocks = l->plan.blocks;
	struct sh_scan *s = &l->scan;
	int status = 0;

	if (!blocks) {
		l->plan.block[0] = (struct sh_block){ .word = most_different_word(l) };
		blocks = 1;
	}
	for (unsigned i = 0; i < blocks; i++)
		bits = l->plan.block[i].bits > bits ? l->plan.block[i].bits : bits;
	s->k = l->join->k;
	s->limit = l->plan.blocks ? l->join->limits.large : UINT64_MAX;
	s->match = match;
	s->large = join_large;
	s->x_start = malloc((((size_t)1 << bits) + 1) * sizeof *s->x_start);
	s->y_start = s->self ? s->x_start : malloc((((size_t)1 << bits) + 1) * sizeof *s->y_start);
	if (!s->x_start || !s->y_start)
		status = sh_error_nomem(err);
	for (l->at = 0; l->at < blocks && status == 0; l->at++) {
		const struct sh_block *b = &l->plan.block[l->at];

		status = list_flips(s, b->bits, b->radius, err);
		if (status == 0)
			status = order(l, l->x, b, s->x_start, &s->largest, err);
		if (status == 0 && !s->self)
			status = order(l, l->y, b, s->y_start, &s->largest, err);
		s->x = l->x->word;
		s->y = l->y->word;
		if (status == 0)
			status = scan_block(l, w, out, err);
	}
	if (!s->self)
		free(s->y_start);
	free(s->x_start);
	free(s->flip);
	return status;
}

/* Copies a bucket: other threads may read it in the side, and this level reorders it. */
static int copy_bucket(struct sh_join_side *to, const struct sh_join_side *from,
    const uint32_t *start, struct sh_error *err)
{
	to->fp = from->fp;
	to->words = from->words;
	to->n = start[1] - start[0];
	if (sh_join_side_reserve(to, to->n, err) < 0)
		return -1;
	memcpy(to->word, from->word + start[0], to->n * sizeof *to->word);
	memcpy(to->number, from->number + start[0], to->n * sizeof *to->number);
	return 0;
}

/* Joins bucket v of x and bucket u of y, which have too many candidates, by a level of their
 * own. */
static bool join_large(void *worker, uint32_t v, uint32_t u)
{
	struct worker *w = worker;
	const struct level *up = w->level;
	const uint32_t few = up->join->limits.few;
	struct sh_join_side side[3] = { 0 }; /* x, y and scratch memory */
	bool self = up->scan.self && v == u;
	struct level l = { .join = up->join,
		.parent = up,
		.depth = up->depth + 1,
		.x = &side[0],
		.y = &side[!self],
		.room = &side[2],
		.k = up->k - sh_count_bits(v ^ u),
		.scan.self = self };
	int status = copy_bucket(l.x, up->x, up->scan.x_start + v, w->err);

	if (status == 0 && !self)
		status = copy_bucket(l.y, up->y, up->scan.y_start + u, w->err);
	if (status == 0 && l.depth < DEPTH && l.x->n >= few && l.y->n >= few)
		make_plan(&l);
	w->level = &l;
	if (status == 0)
		status = join_level(&l, w, w->job, w->err);
	w->level = up;
	for (unsigned i = 0; i < 3; i++)
		sh_join_side_free(&side[i]);
	return status == 0;
}

/* ---- joins ------------------------------------------------------------------------------ */

int sh_join_sides(struct sh_join *j, struct sh_join_side *x, struct sh_join_side *y,
    struct sh_join_side *room, sh_join_fn *each, void *ctx, struct sh_job *out,
    struct sh_error *err)
{
	struct level top = {
		.join = j, .x = x, .y = y ? y : x, .room = room, .k = j->k, .scan.self = !y
	};
	uint64_t n = x->n, pairs = y ? n * y->n : n * n / 2;

	j->top = &top;
	j->each = each;
	j->ctx = ctx;
	if (pairs == 0)
		return 0;
	if (pairs > j->limits.small)
		make_plan(&top);
	return join_level(&top, NULL, out, err);
}
