#include "group/keyplan.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "fp/reach.h"
#include "io/parallel.h"
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

/* Largest number of consecutive documents of one source: an assumption. */
#define SOURCE 65536.0

enum { LOWEST = 500000, COLUMNS = 8, NEAR = 32 };

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

/* A document of the sample. */
struct sampled {
	uint64_t value; /* in one column */
	const uint64_t *values;
	size_t place;
};

/* By rows: the number of pairs that share one key, summed over the columns. */
struct chances {
	double across[SH_KEY_PLAN_ROWS + 1]; /* pairs of documents of two places */
	double within[SH_KEY_PLAN_ROWS + 1]; /* pairs of documents of one place */
};

/* The documents of the sample. */
struct sample {
	struct sampled *document;
	size_t n, places;
	double pairs_across, pairs_within;
};

static int by_value(const void *a, const void *b)
{
	return sh_compare(((const struct sampled *)a)->value, ((const struct sampled *)b)->value);
}

/* Adds the probability that two documents share a key, for each number of rows. The documents share
 * `shared` of 64 values, and one of these is the first value of the key. The probability is the
 * share of all choices of the further values in which all are shared. */
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

/* Adds the pairs of one column that are not similar. d: scratch memory for s->n documents. */
static void add_column(const struct sh_key_plan *p, const struct sample *s, size_t column,
    struct sampled *d, struct chances *sum)
{
	double most = (double)p->lowest / SH_WEIGHT_ONE * SH_KEY_PLAN_VALUES;

	for (size_t i = 0; i < s->n; i++) {
		d[i] = s->document[i];
		d[i].value = d[i].values[column];
	}
	qsort(d, s->n, sizeof *d, by_value);
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = i + 1; k < s->n && k <= i + NEAR && d[k].value == d[i].value; k++) {
			unsigned shared = count_shared(d[i].values, d[k].values);

			if (shared < most)
				add_shared(
				    d[i].place == d[k].place ? sum->within : sum->across, shared);
		}
}

/* Columns that several threads add up. */
struct columns {
	const struct sh_key_plan *plan;
	const struct sample *sample;
	struct chances sum[COLUMNS];
};

static int add_columns(void *columns, size_t from, size_t to, struct sh_error *err)
{
	struct columns *c = columns;
	struct sampled *room = malloc((c->sample->n + 1) * sizeof *room);

	if (!room)
		return sh_error_nomem(err);
	for (size_t i = from; i < to; i++)
		add_column(c->plan, c->sample, i, room, &c->sum[i]);
	free(room);
	return 0;
}

/* Sums the pairs of all columns. */
static int sum_columns(
    const struct sh_key_plan *p, const struct sample *s, struct chances *sum, struct sh_error *err)
{
	struct columns c = { .plan = p, .sample = s };

	*sum = (struct chances){ 0 };
	if (sh_parallel(&c, 0, p->jobs, COLUMNS, 1, add_columns, err) < 0)
		return -1;
	for (unsigned i = 0; i < COLUMNS; i++)
		for (unsigned rows = 1; rows <= SH_KEY_PLAN_ROWS; rows++) {
			sum->across[rows] += c.sum[i].across[rows];
			sum->within[rows] += c.sum[i].within[rows];
		}
	return 0;
}

/* Returns the expected number of pairs that are not similar and share one of p->keys. */
static double count_chance(
    const struct sh_key_plan *p, const struct sample *s, const struct chances *sum)
{
	double across = sum->across[p->keys.rows], within = sum->within[p->keys.rows], pairs = 0;

	if (across > 0)
		pairs += across / s->pairs_across * p->documents / 2 * p->documents;
	if (within > 0)
		pairs += within / s->pairs_within * p->documents / 2 *
			 fmin(SOURCE, p->documents / (double)s->places);
	return pairs * p->keys.keys / COLUMNS;
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

/* The cost of p->keys with this number of chance candidates, and without the sample. */
static double cost_of_keys(const struct sh_key_plan *p, double pairs)
{
	unsigned values = sh_key_plan_values(p);
	double each = p->keys.keys * KEY_COST;

	if (!p->minhash || values != p->bits)
		each += values * VALUE_COST;
	return pairs * COMPARE_COST + p->documents * each;
}

bool sh_key_plan_is_worthwhile(const struct sh_key_plan *p)
{
	struct sh_key_plan least = *p;

	least.keys = (struct sh_minkeys){ SH_KEY_PLAN_ROWS, SH_KEY_PLAN_VALUES / SH_KEY_PLAN_ROWS };
	return p->only_keys || cost_of_distance(p) > SAMPLE_COST + cost_of_keys(&least, 0);
}

/* Sets *k to the least number of keys that find enough pairs; or to the keys that the minwise
 * values of a fingerprint give at no cost, when these are more. Returns false when there would be
 * too many. */
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

static void choose(struct sh_key_plan *p, const struct sample *s, const struct chances *sum)
{
	double least = p->only_keys ? INFINITY : cost_of_distance(p);

	for (unsigned rows = 1; rows <= SH_KEY_PLAN_ROWS; rows++) {
		struct sh_key_plan with = *p;
		double cost;

		if (!lay_out(p, rows, &with.keys))
			continue;
		with.chance = count_chance(&with, s, sum);
		cost = cost_of_keys(&with, with.chance);
		if (cost < least) {
			least = cost;
			*p = with;
		}
	}
}

/* Lists the documents of all places. */
static int list_documents(
    struct sample *s, const struct sh_key_place *place, size_t n_places, struct sh_error *err)
{
	size_t n = 0;

	*s = (struct sample){ .places = n_places };
	for (size_t i = 0; i < n_places; i++) {
		n += place[i].n;
		s->pairs_within += (double)place[i].n * (double)place[i].n / 2;
	}
	s->pairs_across = (double)n * (double)n / 2 - s->pairs_within;
	s->document = malloc((n + 1) * sizeof *s->document);
	if (!s->document)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n_places; i++)
		for (size_t k = 0; k < place[i].n; k++)
			s->document[s->n++] =
			    (struct sampled){ 0, place[i].value + k * SH_KEY_PLAN_VALUES, i };
	return 0;
}

int sh_key_plan_choose(
    struct sh_key_plan *p, const struct sh_key_place *place, size_t n_places, struct sh_error *err)
{
	struct chances sum;
	struct sample s;
	int status;

	p->keys = (struct sh_minkeys){ 0 };
	if (!sh_key_plan_is_worthwhile(p))
		return 0;
	if (list_documents(&s, place, n_places, err) < 0)
		return -1;
	status = sum_columns(p, &s, &sum, err);
	if (status == 0)
		choose(p, &s, &sum);
	free(s.document);
	return status;
}
