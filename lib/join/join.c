#include <stdlib.h>

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
	if (j == NULL || (j->top = calloc(1, sizeof *j->top)) == NULL) {
		sh_error_nomem(err);
		free(j);
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

void sh_join_delete(struct sh_join *j)
{
	if (j == NULL)
		return;
	sh_side_free(&j->x);
	sh_side_free(&j->y);
	sh_side_free(&j->own_scratch);
	sh_side_free(&j->part);
	sh_side_free(&j->part_scratch);
	free(j->top);
	free(j);
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

/* Returns whether there are so many pairs that a plan may be cheaper than comparing all. */
static bool needs_plan(const struct sh_join *j, const struct sh_side *x, const struct sh_side *y)
{
	return (double)x->n * y->n / (y == x ? 2 : 1) > (double)j->limits.small;
}

/* Makes the top level, which joins x with y; y may be x. `halves` allows the join by halves. */
static void make_top(struct sh_join *j, struct sh_side *x, struct sh_side *y, bool halves)
{
	struct sh_level *l = j->top;

	l->join = j;
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
	j->pairs = 0;
	if (j->top->plan.halves) {
		int status = sh_halves_join(j, x, j->scratch);

		if (status <= 0)
			return status < 0 || !sh_join_send(j) ? -1 : 0;
		make_top(j, x, y, false);
	}
	return sh_level_join(j->top) < 0 || !sh_join_send(j) ? -1 : 0;
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
	return load_side(j, &j->x, fp, n) < 0 ? -1 : run(j, &j->x, &j->x);
}

int sh_join_cross(struct sh_join *j, const uint64_t *fpa, size_t na, const uint64_t *fpb, size_t nb,
    sh_join_pairs_fn *fn, void *ctx, struct sh_error *err)
{
	begin(j, fn, ctx, err);
	if (load_side(j, &j->x, fpa, na) < 0 || load_side(j, &j->y, fpb, nb) < 0)
		return -1;
	return run(j, &j->x, &j->y);
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
	return run(j, &x, &x);
}

int sh_join_cross_named(struct sh_join *j, const struct sh_named *a, const struct sh_named *b,
    sh_join_pairs_fn *fn, void *ctx, struct sh_error *err)
{
	struct sh_side x = side_of(a), y = side_of(b);

	begin(j, fn, ctx, err);
	return run(j, &x, &y);
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
