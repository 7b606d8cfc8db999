/* SPDX-License-Identifier: MIT */
#include "band/band.h"

#include "band/plan.h"

/* 2^1024 is no double. No two random fingerprints share a key of that many bits. */
enum { KEY_BITS_MOST = 1020 };

/* Returns the natural logarithm of x >= 1, without libm: the result is the same on every
 * machine. */
static double ln(double x)
{
	double y, y2, term, sum = 0;
	int twos = 0;

	for (; x >= 2; x /= 2)
		twos++;
	y = (x - 1) / (x + 1);
	y2 = y * y;
	term = y;
	for (int i = 1; i < 40; i += 2, term *= y2)
		sum += term / i;
	return 2 * sum + twos * 0.6931471805599453;
}

static double power_of_two(unsigned n)
{
	double x = 1;

	while (n-- > 0)
		x *= 2;
	return x;
}

/* Returns the seconds for the candidates of all buckets. Treats all tables as equal: the number of
 * bits outside the key decides. */
static double compare_seconds(const struct sh_band_cost *c, unsigned bits, unsigned k)
{
	struct sh_plan_sets task = { .bits = bits, .k = k, .self = true, .brute_factor = 1 };
	double all = c->candidates * SH_COST_COMPARE, planned;
	struct sh_plan plan;

	if (c->bucket < 2)
		return all;
	task.nx = task.ny = c->bucket;
	for (unsigned i = 0; i < bits; i++)
		task.agree[i] = i < c->key_bits ? 1 : 0.5;
	sh_plan(&plan, &task);
	planned = plan.seconds * (c->candidates / plan.brute_candidates);
	return planned < all ? planned : all;
}

int sh_band_cost(
    struct sh_band_cost *c, unsigned bits, unsigned k, unsigned blocks, struct sh_error *err)
{
	const double count = SH_BAND_COUNT;
	struct sh_band b;
	double lines, buckets;

	if (sh_band_init(&b, bits, k, blocks, err) < 0)
		return -1;
	sh_band_free(&b);
	*c = (struct sh_band_cost){
		.blocks = blocks,
		.tables = b.tables,
		.key_bits = b.key_bits_min,
		.record_bytes = b.key_len + 1 + bits / 4 + 1 + SH_BAND_ID + 1,
	};
	lines = c->tables * count;
	buckets = power_of_two(c->key_bits < KEY_BITS_MOST ? c->key_bits : KEY_BITS_MOST);
	c->candidates = c->tables * count * count / 2 / buckets;
	c->bucket = count / buckets;
	c->stream_bytes = lines * c->record_bytes;
	c->sort_seconds = c->stream_bytes * ln(lines) / ln(2) * SH_COST_SORT;
	c->compare_seconds = compare_seconds(c, bits, k);
	return 0;
}

int sh_band_choose(struct sh_band_cost *row, unsigned room, unsigned *best, unsigned bits,
    unsigned k, struct sh_error *err)
{
	double cheapest = 0;
	unsigned n = 0;

	*best = 0;
	for (unsigned m = k + 1; n < room && m <= bits && m <= SH_BAND_MAX_BLOCKS; m++) {
		struct sh_band_cost *c = &row[n];
		double cost;

		if (sh_band_cost(c, bits, k, m, err) < 0) {
			/* The choice must not depend on free memory. */
			if (err->code == SH_ERR_NOMEM)
				return -1;
			break;
		}
		cost = c->sort_seconds + c->compare_seconds;
		if (n == 0 || cost < cheapest) {
			cheapest = cost;
			*best = n;
		}
		n++;
		/* More blocks make more tables: sorting alone costs more from here on. */
		if (c->sort_seconds > 4 * cheapest)
			break;
	}
	return (int)n;
}
