#include "pair/join.h"

#include <stdlib.h>
#include <string.h>

#include "pair/order.h"
#include "pair/scan.h"

enum {
	DEPTH_MAX = 8, /* of plans within plans */
	SAMPLE = 4096, /* fingerprints looked at for a plan */
	SAMPLE_DEEP = 512,
	HITS = 1024,
	N_MAX = UINT32_MAX - 64, /* so that a position plus a tile does not overflow */
};

static const struct sh_join_limits usual = {
	.small = 1 << 18,
	.large = 1 << 22,
	.few = 256,
	.brute_factor = 1,
};

struct sh_join {
	unsigned bits, k, words;
	struct sh_join_limits limits;
	const struct sh_kernel *kernel;
	struct sh_side x, y, room; /* y only for two sets */
	sh_hits_fn *fn;
	void *ctx;
	struct sh_error *err;
	bool self;
	struct level *top;
	size_t hits;
	struct sh_hit hit[HITS];
};

struct range {
	struct sh_side *side;
	uint32_t lo, n;
};

/* A join of two ranges (or one with itself) by one plan. Levels nest: a pair belongs to
 * the first block that finds it, on every level. */
struct level {
	struct sh_join *join;
	const struct level *parent;
	unsigned depth;
	bool self;
	struct range x, y;
	unsigned k; /* distance left for the bits that no level above has used */
	struct sh_plan plan;
	unsigned at; /* the block being joined */
	uint32_t *x_start, *y_start, *next, *flip;
	uint32_t flips;
	struct sh_scan scan;
};

const char *const sh_join_kernels[] = { "avx512", "avx2", "portable", NULL };

bool sh_join_kernel_ok(const char *name)
{
	return sh_kernel_find(name) != NULL;
}

struct sh_join *sh_join_new(unsigned bits, unsigned k, const char *kernel, struct sh_error *err)
{
	struct sh_join *j;
	const struct sh_kernel *best = sh_kernel_find(kernel);

	if (!sh_fp_width_ok(bits)) {
		sh_error_set(err, SH_ERR_PARAM,
		    "%u bits: a fingerprint has 4 to %d bits, a multiple of 4", bits,
		    SH_FP_MAX_BITS);
		return NULL;
	}
	if (best == NULL) {
		sh_error_set(err, SH_ERR_PARAM,
		    "compare kernel %s: not known, or not for this processor", kernel);
		return NULL;
	}
	j = calloc(1, sizeof *j);
	if (j == NULL || (j->top = calloc(1, sizeof *j->top)) == NULL) {
		sh_error_nomem(err);
		free(j);
		return NULL;
	}
	j->bits = bits;
	j->k = k;
	j->words = SH_FP_WORDS(bits);
	j->kernel = best;
	j->limits = usual;
	return j;
}

void sh_join_delete(struct sh_join *j)
{
	if (j == NULL)
		return;
	sh_side_free(&j->x);
	sh_side_free(&j->y);
	sh_side_free(&j->room);
	free(j->top);
	free(j);
}

unsigned sh_join_words(const struct sh_join *j)
{
	return j->words;
}

void sh_join_set_limits(struct sh_join *j, const struct sh_join_limits *limits)
{
	j->limits = *limits;
}

/* ---- hits ------------------------------------------------------------------- */

static bool send_hits(struct sh_join *j)
{
	size_t n = j->hits;

	j->hits = 0;
	return n == 0 || j->fn(j->ctx, j->hit, n, j->err) == 0;
}

static bool found_by(const struct sh_block *b, const uint64_t *fx, const uint64_t *fy)
{
	uint64_t x = (fx[b->word] ^ fy[b->word]) & b->mask;

	for (unsigned i = 0; i < b->radius && x != 0; i++)
		x &= x - 1;
	return x == 0;
}

/* Whether no earlier block of any level finds the pair too. */
static bool first_find(const struct level *l, const uint64_t *fx, const uint64_t *fy)
{
	for (; l != NULL; l = l->parent)
		for (unsigned i = 0; i < l->at; i++)
			if (found_by(&l->plan.block[i], fx, fy))
				return false;
	return true;
}

static bool take_spots(void *ctx, const struct sh_spot *spot, size_t n)
{
	struct level *l = ctx;
	struct sh_join *j = l->join;
	const struct sh_side *x = l->x.side, *y = l->y.side;

	for (size_t i = 0; i < n; i++) {
		uint32_t a = x->id[spot[i].x], b = y->id[spot[i].y];
		const uint64_t *fx = x->fp + (size_t)a * j->words;
		const uint64_t *fy = y->fp + (size_t)b * j->words;
		unsigned d;

		if (j->words == 1) {
			fx = &x->word[spot[i].x];
			fy = &y->word[spot[i].y];
		}
		d = j->kernel->distance(fx, fy, j->words);
		if (d > j->k || !first_find(l, fx, fy))
			continue;
		if (j->self && a > b)
			j->hit[j->hits] = (struct sh_hit){ b, a, d };
		else
			j->hit[j->hits] = (struct sh_hit){ a, b, d };
		if (++j->hits == HITS && !send_hits(j))
			return false;
	}
	return true;
}

/* ---- plans ------------------------------------------------------------------ */

static void count_ones(const struct range *r, unsigned bits, uint32_t sample, double *share)
{
	uint32_t ones[SH_FP_MAX_BITS] = { 0 }, n = r->n < sample ? r->n : sample;
	unsigned words = SH_FP_WORDS(bits);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = r->lo + (uint32_t)((uint64_t)r->n * i / n);
		const uint64_t *fp = r->side->fp + (size_t)r->side->id[at] * words;

		for (unsigned b = 0; b < bits; b++)
			ones[b] += (uint32_t)(fp[b / 64] >> (63 - b % 64) & 1);
	}
	for (unsigned b = 0; b < bits; b++)
		share[b] = n > 0 ? (double)ones[b] / n : 0;
}

static void make_plan(struct level *l)
{
	struct sh_task task = { l->join->bits, l->k, l->x.n, l->y.n, l->self,
		l->join->limits.brute_factor, { 0 } };
	uint32_t sample = l->parent == NULL ? SAMPLE : SAMPLE_DEEP;
	double x[SH_FP_MAX_BITS], y[SH_FP_MAX_BITS];

	count_ones(&l->x, task.bits, sample, x);
	if (!l->self)
		count_ones(&l->y, task.bits, sample, y);
	for (unsigned b = 0; b < task.bits; b++) {
		double q = l->self ? x[b] : y[b];

		task.agree[b] = x[b] * q + (1 - x[b]) * (1 - q);
	}
	for (const struct level *up = l->parent; up != NULL; up = up->parent) {
		const struct sh_block *used = &up->plan.block[up->at];

		for (unsigned b = 0; b < 64; b++)
			if (used->mask >> (63 - b) & 1)
				task.agree[used->word * 64 + b] = 1;
	}
	sh_plan(&l->plan, &task);
}

/* All masks of up to `radius` of `bits` bits, the fewest bits first. */
static int list_flips(struct level *l, unsigned bits, unsigned radius, struct sh_error *err)
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

		/* Gosper: the next larger number with as many bits. */
		while (mask < UINT64_C(1) << bits) {
			uint64_t low = mask & -mask, up = mask + low;

			l->flip[n++] = (uint32_t)mask;
			mask = up | ((mask ^ up) >> 2) / low;
		}
	}
	l->flips = n;
	return 0;
}

/* ---- levels ----------------------------------------------------------------- */

static bool join_buckets(void *ctx, uint32_t v, uint32_t u);

/* Hold the given word of each fingerprint of the range. */
static void hold_word(const struct level *l, const struct range *r, unsigned word)
{
	if (r->side->words == 1)
		return;
	if (l->parent != NULL)
		sh_side_fetch(r->side, r->lo, r->n, word);
	else if (r->side->loaded != word)
		sh_side_load(r->side, word);
}

static void run_scan(struct level *l, uint32_t buckets, uint64_t limit)
{
	struct sh_scan *s = &l->scan;

	s->x = l->x.side->word;
	s->y = l->y.side->word;
	s->x_start = l->x_start;
	s->y_start = l->self ? l->x_start : l->y_start;
	s->buckets = buckets;
	s->flip = l->flip;
	s->flips = l->flips;
	s->self = l->self;
	s->k = l->join->k;
	s->limit = limit;
	s->flush = take_spots;
	s->large = join_buckets;
	s->ctx = l;
	l->join->kernel->scan(s);
}

/* The word on which neighbours in a small sample differ most. */
static unsigned telling_word(const struct level *l)
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

static int compare_all(struct level *l)
{
	uint32_t x_start[2] = { l->x.lo, l->x.lo + l->x.n };
	uint32_t y_start[2] = { l->y.lo, l->y.lo + l->y.n };
	uint32_t flip[1] = { 0 };
	unsigned word = l->join->words > 1 ? telling_word(l) : 0;

	hold_word(l, &l->x, word);
	if (!l->self)
		hold_word(l, &l->y, word);
	l->x_start = x_start;
	l->y_start = y_start;
	l->flip = flip;
	l->flips = 1;
	run_scan(l, 1, UINT64_MAX);
	l->x_start = l->y_start = l->flip = NULL;
	return l->scan.ended ? -1 : 0;
}

static int get_starts(struct level *l, struct sh_error *err)
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

static int join_block(struct level *l)
{
	const struct sh_block *b = &l->plan.block[l->at];
	struct sh_join *j = l->join;
	struct sh_key key;

	if (list_flips(l, b->bits, b->radius, j->err) < 0)
		return -1;
	sh_key_init(&key, b->mask);
	hold_word(l, &l->x, b->word);
	sh_side_order(l->x.side, l->x.lo, l->x.n, &key, l->x_start, &j->room, l->next);
	if (!l->self) {
		hold_word(l, &l->y, b->word);
		sh_side_order(l->y.side, l->y.lo, l->y.n, &key, l->y_start, &j->room, l->next);
	}
	run_scan(l, UINT32_C(1) << b->bits, j->limits.large);
	return l->scan.ended ? -1 : 0;
}

static int join_level(struct level *l)
{
	int status = 0;

	if (l->plan.blocks == 0)
		return compare_all(l);
	status = get_starts(l, l->join->err);
	for (l->at = 0; l->at < l->plan.blocks && status == 0; l->at++)
		status = join_block(l);
	free(l->x_start);
	free(l->y_start);
	free(l->next);
	free(l->flip);
	l->x_start = l->y_start = l->next = l->flip = NULL;
	return status;
}

/* Two buckets that hold too many candidates: they are joined on the other bits. */
static bool join_buckets(void *ctx, uint32_t v, uint32_t u)
{
	struct level *up = ctx, *l = calloc(1, sizeof *l);
	const struct sh_block *b = &up->plan.block[up->at];
	unsigned used = (unsigned)__builtin_popcountll(v ^ u);
	uint32_t few = up->join->limits.few;
	bool good;

	if (l == NULL)
		return sh_error_nomem(up->join->err) == 0;
	l->join = up->join;
	l->parent = up;
	l->depth = up->depth + 1;
	l->self = up->self && v == u;
	l->x = (struct range){ up->x.side, up->scan.x_start[v],
		up->scan.x_start[v + 1] - up->scan.x_start[v] };
	l->y = (struct range){ up->y.side, up->scan.y_start[u],
		up->scan.y_start[u + 1] - up->scan.y_start[u] };
	l->k = up->k - used;
	if (l->depth < DEPTH_MAX && l->x.n >= few && l->y.n >= few)
		make_plan(l);
	good = join_level(l) == 0;
	if (good && up->join->words > 1) {
		sh_side_fetch(l->x.side, l->x.lo, l->x.n, b->word);
		sh_side_fetch(l->y.side, l->y.lo, l->y.n, b->word);
	}
	free(l);
	return good;
}

/* ---- whole sets ------------------------------------------------------------- */

static int take_side(struct sh_join *j, struct sh_side *s, const uint64_t *fp, size_t n)
{
	if (n > N_MAX)
		return sh_error_set(j->err, SH_ERR_PARAM,
		    "%zu fingerprints: a join in memory takes at most %u", n, (unsigned)N_MAX);
	if (sh_side_reserve(s, n, j->err) < 0)
		return -1;
	s->fp = fp;
	s->words = j->words;
	s->n = (uint32_t)n;
	sh_side_load(s, 0);
	return 0;
}

/* The uppermost level, for x with y, or with itself. */
static void plan_top(struct sh_join *j, struct sh_side *y)
{
	struct level *l = j->top;
	double pairs;

	l->join = j;
	l->parent = NULL;
	l->depth = 0;
	l->self = j->self = y == &j->x;
	l->x = (struct range){ &j->x, 0, j->x.n };
	l->y = (struct range){ y, 0, y->n };
	l->k = j->k;
	l->at = 0;
	l->plan.blocks = 0;
	pairs = (double)j->x.n * y->n / (l->self ? 2 : 1);
	if (pairs > (double)j->limits.small)
		make_plan(l);
}

static int run(struct sh_join *j, struct sh_side *y)
{
	uint32_t most = j->x.n > y->n ? j->x.n : y->n;

	plan_top(j, y);
	if (j->top->plan.blocks > 0 && sh_side_reserve(&j->room, most, j->err) < 0)
		return -1;
	j->hits = 0;
	return join_level(j->top) < 0 || !send_hits(j) ? -1 : 0;
}

int sh_join_self(struct sh_join *j, const uint64_t *fp, size_t n, sh_hits_fn *fn, void *ctx,
    struct sh_error *err)
{
	j->fn = fn;
	j->ctx = ctx;
	j->err = err;
	return take_side(j, &j->x, fp, n) < 0 ? -1 : run(j, &j->x);
}

int sh_join_cross(struct sh_join *j, const uint64_t *fpa, size_t na, const uint64_t *fpb, size_t nb,
    sh_hits_fn *fn, void *ctx, struct sh_error *err)
{
	j->fn = fn;
	j->ctx = ctx;
	j->err = err;
	if (take_side(j, &j->x, fpa, na) < 0 || take_side(j, &j->y, fpb, nb) < 0)
		return -1;
	return run(j, &j->y);
}

int sh_join_plan_self(
    struct sh_join *j, struct sh_plan *plan, const uint64_t *fp, size_t n, struct sh_error *err)
{
	j->err = err;
	if (take_side(j, &j->x, fp, n) < 0)
		return -1;
	plan_top(j, &j->x);
	*plan = j->top->plan;
	return 0;
}

int sh_join_plan_cross(struct sh_join *j, struct sh_plan *plan, const uint64_t *fpa, size_t na,
    const uint64_t *fpb, size_t nb, struct sh_error *err)
{
	j->err = err;
	if (take_side(j, &j->x, fpa, na) < 0 || take_side(j, &j->y, fpb, nb) < 0)
		return -1;
	plan_top(j, &j->y);
	*plan = j->top->plan;
	return 0;
}
