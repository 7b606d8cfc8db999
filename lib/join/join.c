#include <stdlib.h>
#include <string.h>

#include "join/halves.h"

/* A position plus a tile must not overflow. */
#define N_MAX (UINT32_MAX - 64)

static const struct sh_join_limits defaults = {
	.small = 1 << 18,
	.large = 1 << 22,
	.few = 256,
	.brute_factor = 1,
	.cached = SH_SIDE_CACHED,
	.halves = SH_JOIN_HALVES,
	.task = 1 << 12,
};

const char *sh_join_kernel_name(unsigned i)
{
	const struct sh_kernel *kernel = sh_kernel_at(i);

	return kernel ? kernel->variant.name : NULL;
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
		sh_error_set(err, SH_ERR_PARAM, "no compare kernel %s on this processor", kernel);
		return NULL;
	}
	j = calloc(1, sizeof *j);
	if (j == NULL || (j->top = calloc(1, sizeof *j->top)) == NULL ||
	    sh_join_set_threads(j, 1, err) < 0) {
		sh_error_nomem(err);
		sh_join_delete(j);
		return NULL;
	}
	j->bits = bits;
	j->k = k;
	j->words = SH_FP_WORDS(bits);
	j->kernel = best;
	j->limits = defaults;
	j->scratch = &j->own_scratch;
	return j;
}

static void delete_joiners(struct sh_join *j)
{
	for (unsigned i = 0; i < j->threads; i++) {
		struct sh_joiner *w = j->joiner[i];

		sh_side_free(&w->part);
		sh_side_free(&w->part_scratch);
		free(w->halver);
		free(w->level);
		free(w);
	}
	free(j->joiner);
	j->joiner = NULL;
	j->threads = 0;
}

void sh_join_delete(struct sh_join *j)
{
	if (j == NULL)
		return;
	sh_side_free(&j->x);
	sh_side_free(&j->y);
	sh_side_free(&j->own_scratch);
	sh_buf_free(&j->own_out.out);
	delete_joiners(j);
	free(j->top);
	free(j);
}

int sh_join_set_threads(struct sh_join *j, unsigned n, struct sh_error *err)
{
	delete_joiners(j);
	j->joiner = calloc(n, sizeof *j->joiner);
	if (!j->joiner)
		return sh_error_nomem(err);
	for (; j->threads < n; j->threads++) {
		struct sh_joiner *w = calloc(1, sizeof *w);

		if (!w || !(w->level = calloc(1, sizeof *w->level))) {
			free(w);
			return sh_error_nomem(err);
		}
		w->join = j;
		j->joiner[j->threads] = w;
	}
	return 0;
}

void sh_join_set_out(struct sh_join *j, sh_join_out_fn *each, struct sh_job *out)
{
	j->each = each;
	j->out = out;
}

/* ---- receivers without a job -------------------------------------------------------- */

static int add_pairs(
    void *ctx, struct sh_job *job, const struct sh_join_pair *pair, size_t n, struct sh_error *err)
{
	char *room = sh_job_room(job, n * sizeof *pair, err);

	(void)ctx;
	if (!room)
		return -1;
	memcpy(room, pair, n * sizeof *pair);
	job->out.n += n * sizeof *pair;
	return 0;
}

static int receive(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct sh_join *j = arg;
	size_t n = job->out.n / sizeof(struct sh_join_pair);

	return n ? j->fn(j->ctx, (const struct sh_join_pair *)(const void *)job->out.p, n, err) : 0;
}

/* ---- tasks ----------------------------------------------------------------------------- */

size_t sh_join_cut(const struct sh_join *j, size_t n)
{
	/* Small tasks: a thread whose output is large must wait for the tasks before. */
	return j->threads == 1 ? 1 : n / (j->limits.task + 1) + 1;
}

int sh_join_tasks(struct sh_join *j, size_t n, int (*work)(void *joiner, struct sh_job *job),
    struct sh_error *err)
{
	const struct sh_pool *to = j->out->pool;
	struct sh_pool pool = { work, j->joiner, j->threads, to->done, to->arg };
	struct sh_joiner *first = j->joiner[0];
	int status = 0;

	if (j->threads > 1 && n > 1) {
		status = sh_job_flush(j->out, err);
		if (status == 0)
			status = sh_pool_tasks(&pool, n, err);
	} else {
		for (j->out->task = 0; status == 0 && j->out->task < n; j->out->task++)
			status = work(first, j->out);
		if (status < 0)
			*err = j->out->err;
	}
	/* It was the error of a job, which is freed. */
	first->err = err;
	return status;
}

void sh_join_set_limits(struct sh_join *j, const struct sh_join_limits *limits)
{
	j->limits = *limits;
}

static int load_side(struct sh_join *j, struct sh_side *s, const uint64_t *fp, size_t n)
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

/* Returns whether there are enough pairs that a plan may be cheaper than comparing all. */
static bool needs_plan(const struct sh_join *j, const struct sh_side *x, const struct sh_side *y)
{
	return (double)x->n * y->n / (y == x ? 2 : 1) > (double)j->limits.small;
}

/* Makes the top level, which joins x with y; y may be x. `halves` allows the join by halves. */
static void make_top(struct sh_join *j, struct sh_side *x, struct sh_side *y, bool halves)
{
	struct sh_level *l = j->top;

	l->join = j;
	l->joiner = j->joiner[0];
	l->joiner->err = j->err;
	l->parent = NULL;
	l->depth = 0;
	l->self = j->self = y == x;
	l->x = (struct sh_range){ x, 0, x->n };
	l->y = (struct sh_range){ y, 0, y->n };
	l->k = j->k;
	l->at = 0;
	l->halves = halves;
	l->plan.halves = false;
	l->scratch = j->scratch;
	l->plan.blocks = 0;
	if (needs_plan(j, x, y))
		sh_level_plan(l);
}

static int run(struct sh_join *j, struct sh_side *x, struct sh_side *y)
{
	make_top(j, x, y, y == x && !j->table);
	if (j->top->plan.blocks > 0 &&
	    sh_side_reserve(j->scratch, x->n > y->n ? x->n : y->n, j->err) < 0)
		return -1;
	if (j->top->plan.halves) {
		int status = sh_halves_join(j, x, j->scratch);

		if (status <= 0)
			return status;
		make_top(j, x, y, false);
	}
	return sh_level_join(j->top);
}

static int run_and_flush(struct sh_join *j, struct sh_side *x, struct sh_side *y)
{
	int status;

	if (!j->fn)
		return run(j, x, y);
	j->own_pool = (struct sh_pool){ .done = receive, .arg = j };
	j->own_out.pool = &j->own_pool;
	j->own_out.out.n = 0;
	sh_join_set_out(j, add_pairs, &j->own_out);
	status = run(j, x, y);
	return status == 0 ? sh_job_flush(&j->own_out, j->err) : status;
}

static void begin(struct sh_join *j, sh_join_pairs_fn *fn, void *ctx, struct sh_error *err)
{
	j->fn = fn;
	j->ctx = ctx;
	j->err = err;
}

int sh_join_self(struct sh_join *j, const uint64_t *fp, size_t n, sh_join_pairs_fn *fn, void *ctx,
    struct sh_error *err)
{
	begin(j, fn, ctx, err);
	return load_side(j, &j->x, fp, n) < 0 ? -1 : run_and_flush(j, &j->x, &j->x);
}

int sh_join_cross(struct sh_join *j, const uint64_t *fpa, size_t na, const uint64_t *fpb, size_t nb,
    sh_join_pairs_fn *fn, void *ctx, struct sh_error *err)
{
	begin(j, fn, ctx, err);
	if (load_side(j, &j->x, fpa, na) < 0 || load_side(j, &j->y, fpb, nb) < 0)
		return -1;
	return run_and_flush(j, &j->x, &j->y);
}

static struct sh_side side_of(const struct sh_named *s)
{
	return (struct sh_side){ .words = 1, .n = (uint32_t)s->n, .word = s->fp, .id = s->name };
}

int sh_join_self_named(struct sh_join *j, const struct sh_named *s, sh_join_pairs_fn *fn, void *ctx,
    struct sh_error *err)
{
	struct sh_side x = side_of(s);

	begin(j, fn, ctx, err);
	return run_and_flush(j, &x, &x);
}

int sh_join_cross_named(struct sh_join *j, const struct sh_named *a, const struct sh_named *b,
    sh_join_pairs_fn *fn, void *ctx, struct sh_error *err)
{
	struct sh_side x = side_of(a), y = side_of(b);

	begin(j, fn, ctx, err);
	return run_and_flush(j, &x, &y);
}

void sh_join_set_scratch(struct sh_join *j, struct sh_side *scratch)
{
	j->scratch = scratch ? scratch : &j->own_scratch;
}

void sh_join_set_table(struct sh_join *j, const struct sh_band_table *t)
{
	j->table = t;
}

int sh_join_plan_self(
    struct sh_join *j, struct sh_plan *plan, const uint64_t *fp, size_t n, struct sh_error *err)
{
	j->err = err;
	if (load_side(j, &j->x, fp, n) < 0)
		return -1;
	make_top(j, &j->x, &j->x, !j->table);
	if (!needs_plan(j, &j->x, &j->x)) {
		sh_level_plan(j->top); /* stores the cost of comparing all */
		j->top->plan.blocks = 0;
	}
	*plan = j->top->plan;
	return 0;
}
