#include "group/keyplan.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "fp/reach.h"
#include "weight/weight.h"

/* Seconds of a processor, as measured. */
#define VALUE_COST   15e-9  /* a minwise value, where the fingerprint does not have it */
#define KEY_COST     60e-9  /* a key of a document */
#define COMPARE_COST 2.5e-6 /* a candidate */
/* Reading and comparing the sample takes some 0.1 s, and should pay several times. */
#define SAMPLE_COST 0.5
/* A join within distance 14, for each pair of documents; 1.5 times for each further bit. */
#define JOIN_COST 2e-12

#define TOLERANCE 1e-4 /* recall that keys may lack */

enum { LOWEST = 500000, COLUMNS = 8, NEAR = 32, LEAST_KEYS = 8 };

uint64_t sh_key_plan_lowest(uint64_t edit, unsigned n)
{
	double lowest = sh_minkeys_edited((double)edit / SH_WEIGHT_ONE, n) * SH_WEIGHT_ONE;

	return lowest > LOWEST ? (uint64_t)lowest : LOWEST;
}

unsigned sh_key_plan_values(const struct sh_key_plan *p)
{
	unsigned n = p->keys.rows * p->keys.keys;

	return p->minhash && n < p->bits ? p->bits : n;
}

/* ---- chance candidates ---- */

/* A document of the sample, by its value in one column. */
struct sampled {
	uint64_t value;
	const uint64_t *values;
};

static int by_value(const void *a, const void *b)
{
	return sh_compare(((const struct sampled *)a)->value, ((const struct sampled *)b)->value);
}

/* Two documents share `shared` of 64 values, one of them for certain. Adds the probability that
 * they share a key, for each number of rows: the share of the choices of further values that they
 * share all. */
static void add_shared(double *sum, unsigned shared)
{
	double chance = 1;

	for (unsigned rows = 1; rows <= SH_KEY_PLAN_ROWS; rows++) {
		sum[rows] += chance;
		chance *= shared > rows ? (double)(shared - rows) / (SH_KEY_PLAN_VALUES - rows) : 0;
	}
}

static unsigned count_shared(const uint64_t *x, const uint64_t *y)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SH_KEY_PLAN_VALUES; i++)
		n += x[i] == y[i];
	return n;
}

/* chance[rows]: the probability that two documents that are not similar share one key of that many
 * rows. */
static void estimate(
    const struct sh_key_plan *p, const uint64_t *value, size_t n, struct sampled *s, double *chance)
{
	double most = (double)p->lowest / SH_WEIGHT_ONE * SH_KEY_PLAN_VALUES;

	for (unsigned rows = 1; rows <= SH_KEY_PLAN_ROWS; rows++)
		chance[rows] = 0;
	for (unsigned c = 0; c < COLUMNS; c++) {
		for (size_t i = 0; i < n; i++)
			s[i] = (struct sampled){ value[i * SH_KEY_PLAN_VALUES + c],
				value + i * SH_KEY_PLAN_VALUES };
		qsort(s, n, sizeof *s, by_value);
		for (size_t i = 0; i < n; i++)
			for (size_t k = i + 1; k < n && k <= i + NEAR && s[k].value == s[i].value;
			     k++) {
				unsigned shared = count_shared(s[i].values, s[k].values);

				if (shared < most)
					add_shared(chance, shared);
			}
	}
	for (unsigned rows = 1; rows <= SH_KEY_PLAN_ROWS; rows++)
		chance[rows] /= COLUMNS * ((double)n * (double)(n - 1) / 2);
}

/* ---- the choice ---- */

static bool finds_enough(const struct sh_key_plan *p, struct sh_minkeys k)
{
	for (uint64_t j = p->lowest; j < SH_WEIGHT_ONE; j += SH_WEIGHT_ONE / 100)
		if (sh_minkeys_found(k, (double)j / SH_WEIGHT_ONE) <
		    sh_reach(p->bits, p->minhash, j, p->k) - TOLERANCE)
			return false;
	return true;
}

static double cost_of_distance(const struct sh_key_plan *p)
{
	double pairs = p->documents * p->documents / 2;

	return pairs * JOIN_COST * pow(1.5, (double)p->k - 14) +
	       pairs * sh_reach(p->bits, true, 0, p->k) * COMPARE_COST;
}

bool sh_key_plan_is_worthwhile(const struct sh_key_plan *p)
{
	return p->only_keys ||
	       cost_of_distance(p) > SAMPLE_COST + p->documents * LEAST_KEYS * KEY_COST;
}

/* The values of a fingerprint that are there anyway make further keys. */
static bool lay_out(const struct sh_key_plan *p, unsigned rows, struct sh_minkeys *k)
{
	*k = (struct sh_minkeys){ rows, 1 };
	while (!finds_enough(p, *k))
		if (++k->keys > SH_MINKEYS_MAX)
			return false;
	if (k->keys < SH_KEY_PLAN_VALUES / rows)
		k->keys = SH_KEY_PLAN_VALUES / rows;
	return true;
}

static void choose(struct sh_key_plan *p, const double *chance)
{
	double least = p->only_keys ? INFINITY : cost_of_distance(p);

	p->keys = (struct sh_minkeys){ 0 };
	for (unsigned rows = 1; rows <= SH_KEY_PLAN_ROWS; rows++) {
		struct sh_key_plan with = *p;
		double pairs, cost;

		if (!lay_out(p, rows, &with.keys))
			continue;
		pairs = p->documents * p->documents / 2 * with.keys.keys * chance[rows];
		cost = pairs * COMPARE_COST + p->documents * with.keys.keys * KEY_COST;
		if (!p->minhash || sh_key_plan_values(&with) != p->bits)
			cost += p->documents * sh_key_plan_values(&with) * VALUE_COST;
		if (cost < least) {
			least = cost;
			p->keys = with.keys;
			p->chance = pairs;
		}
	}
}

int sh_key_plan_choose(struct sh_key_plan *p, const uint64_t *value, size_t n, struct sh_error *err)
{
	struct sampled *s = malloc((n + 1) * sizeof *s);
	double chance[SH_KEY_PLAN_ROWS + 1] = { 0 };

	if (!s)
		return sh_error_nomem(err);
	if (n > 1)
		estimate(p, value, n, s, chance);
	free(s);
	choose(p, chance);
	return 0;
}
