#include "join/halves.h"

#include <stdlib.h>

/* So that a position plus a tile does not overflow. */
#define N_MAX (UINT32_MAX - 64)

static const struct sh_join_limits usual = {
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
	sh_side_free(&j->part);
	sh_side_free(&j->part_room);
	free(j->top);
	free(j);
}

void sh_join_set_limits(struct sh_join *j, const struct sh_join_limits *limits)
{
	j->limits = *limits;
}

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

/* Of fewer every two are compared. */
static bool are_worth_a_plan(
    const struct sh_join *j, const struct sh_side *x, const struct sh_side *y)
{
	return (double)x->n * y->n / (y == x ? 2 : 1) > (double)j->limits.small;
}

/* The uppermost level, for x with y, or with itself, which may be by halves. */
static void plan_top(struct sh_join *j, struct sh_side *x, struct sh_side *y, bool halves)
{
	struct sh_level *l = j->top;

	l->join = j;
	l->parent = NULL;
	l->depth = 0;
	l->self = j->self = y == x;
	l->x = (struct sh_range){ x, 0, x->n };
	l->y = (struct sh_range){ y, 0, y->n };
	l->k = j->k;
	l->at = l->ordered = 0;
	l->dense = false;
	l->halves = halves;
	l->plan.halves = false;
	l->room = j->lent ? j->lent : &j->room;
	l->plan.blocks = 0;
	if (are_worth_a_plan(j, x, y))
		sh_level_plan(l);
}

static int run(struct sh_join *j, struct sh_side *x, struct sh_side *y)
{
	uint32_t most = x->n > y->n ? x->n : y->n;

	plan_top(j, x, y, y == x && !j->keep);
	if (j->top->plan.blocks > 0 && sh_side_reserve(j->top->room, most, j->err) < 0)
		return -1;
	j->hits = 0;
	if (j->top->plan.halves) {
		int status = sh_halves_join(j, x, j->top->room);

		if (status <= 0)
			return status < 0 || !sh_join_send(j) ? -1 : 0;
		plan_top(j, x, y, false);
	}
	return sh_level_join(j->top) < 0 || !sh_join_send(j) ? -1 : 0;
}

static void begin(struct sh_join *j, sh_hits_fn *fn, void *ctx, struct sh_error *err)
{
	j->fn = fn;
	j->ctx = ctx;
	j->err = err;
}

int sh_join_self(struct sh_join *j, const uint64_t *fp, size_t n, sh_hits_fn *fn, void *ctx,
    struct sh_error *err)
{
	begin(j, fn, ctx, err);
	return take_side(j, &j->x, fp, n) < 0 ? -1 : run(j, &j->x, &j->x);
}

int sh_join_cross(struct sh_join *j, const uint64_t *fpa, size_t na, const uint64_t *fpb, size_t nb,
    sh_hits_fn *fn, void *ctx, struct sh_error *err)
{
	begin(j, fn, ctx, err);
	if (take_side(j, &j->x, fpa, na) < 0 || take_side(j, &j->y, fpb, nb) < 0)
		return -1;
	return run(j, &j->x, &j->y);
}

static struct sh_side side_of(const struct sh_named *s)
{
	return (struct sh_side){ .words = 1, .n = (uint32_t)s->n, .word = s->fp, .id = s->name };
}

int sh_join_self_named(
    struct sh_join *j, const struct sh_named *s, sh_hits_fn *fn, void *ctx, struct sh_error *err)
{
	struct sh_side x = side_of(s);

	begin(j, fn, ctx, err);
	return run(j, &x, &x);
}

int sh_join_cross_named(struct sh_join *j, const struct sh_named *a, const struct sh_named *b,
    sh_hits_fn *fn, void *ctx, struct sh_error *err)
{
	struct sh_side x = side_of(a), y = side_of(b);

	begin(j, fn, ctx, err);
	return run(j, &x, &y);
}

void sh_join_lend(struct sh_join *j, struct sh_side *room)
{
	j->lent = room;
}

void sh_join_only(struct sh_join *j, sh_join_keep *keep, const void *arg)
{
	j->keep = keep;
	j->keep_arg = arg;
}

int sh_join_plan_self(
    struct sh_join *j, struct sh_plan *plan, const uint64_t *fp, size_t n, struct sh_error *err)
{
	j->err = err;
	if (take_side(j, &j->x, fp, n) < 0)
		return -1;
	plan_top(j, &j->x, &j->x, !j->keep);
	if (!are_worth_a_plan(j, &j->x, &j->x)) {
		sh_level_plan(j->top); /* for what comparing them costs */
		j->top->plan.blocks = 0;
	}
	*plan = j->top->plan;
	return 0;
}
