/* SPDX-License-Identifier: MIT */
/* Compares fingerprints of weights that pass through records with fingerprints of the doubles
 * themselves. */
#include "published/sums.h"

#include <math.h>

#include "rng.h"
#include "tap.h"

enum { WEIGHTS = 12, ROUNDS = 20000 };

/* Weights within a factor of 2^10, around any power of ten. Some are sums of others, so that sums
 * become 0 or a rounding error. */
static void random_weights(double *x, unsigned n)
{
	double unit = pow(10, (double)rng_below(40) - 20);

	for (unsigned i = 0; i < n; i++) {
		x[i] = unit * (1 + (double)rng_below(1 << 30) / 0x1p30 * 15);
		if (i > 1 && rng_below(3) == 0)
			x[i] = x[rng_below(i)];
		if (i > 1 && rng_below(3) == 0)
			x[i] = x[i - 1] + x[i - 2];
	}
}

static uint64_t sums_of(const double *x, const uint64_t *hash, unsigned n)
{
	uint64_t word = 0;

	for (unsigned b = 0; b < 64; b++) {
		double sum = 0;

		for (unsigned i = 0; i < n; i++)
			sum += hash[i] >> (63 - b) & 1 ? x[i] : -x[i];
		word = word << 1 | (sum > 0);
	}
	return word;
}

static uint64_t by_records(const struct sh_heavy *f, const uint64_t *hash, unsigned n)
{
	struct sh_doubles d = { 0 };

	for (unsigned i = 0; i < n; i++)
		sh_doubles_add(&d, hash[i], f[i].weight);
	return sh_doubles_finish(&d);
}

static void test_random(void)
{
	unsigned wrong = 0, unordered = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned n = 1 + (unsigned)rng_below(WEIGHTS);
		struct sh_heavy f[WEIGHTS];
		uint64_t hash[WEIGHTS];
		double x[WEIGHTS];

		random_weights(x, n);
		for (unsigned i = 0; i < n; i++) {
			hash[i] = rng();
			f[i].weight = sh_double_key(x[i]);
			unordered += i > 0 && (f[i].weight > f[i - 1].weight) != (x[i] > x[i - 1]);
		}
		sh_doubles_write(f, n);
		wrong += by_records(f, hash, n) != sums_of(x, hash, n);
	}
	ok(unordered == 0, "keys have the order of the doubles: %u do not", unordered);
	ok(wrong == 0,
	    "fingerprints through records equal the fingerprints of the doubles: %u of %d differ",
	    wrong, ROUNDS);
}

/* Returns whether the two doubles become these weights of records. */
static bool become(double x, double y, int64_t a, int64_t b)
{
	struct sh_heavy f[2] = { { sh_double_key(x), 0 }, { sh_double_key(y), 1 } };

	sh_doubles_write(f, 2);
	return f[0].weight == a && f[1].weight == b;
}

static void test_scales(void)
{
	const int64_t one = INT64_C(1) << 50;

	ok(become(4, 8191, 4 * one, 8191 * one),
	    "a weight from 4 to below 8192 is multiplied by 2^50");
	ok(become(8, 8192, 4 * one, 4096 * one), "a weight of 8192 is multiplied by 2^49");
	ok(become(3, 16, 6 * one, 32 * one), "a weight of 3 is multiplied by 2^51");
	ok(become(3, 6000, 3 * one, 6000 * one), "the heaviest weight limits the factor");
	ok(become(0, 0.125, 0, 4 * one), "0 does not count as the lightest weight");
	ok(become(0, 0, 0, 0), "weights that are all 0 stay 0");
	ok(become(1e-10, 0x1p100, 0, one << 12), "a weight far below the heaviest becomes 0");
}

static void test_decimals(void)
{
	struct sh_doubles d = { 0 };

	/* 0.1 + 0.2 > 0.3 in doubles. */
	sh_doubles_add(&d, 0, 300000);
	sh_doubles_add(&d, UINT64_MAX, 100000);
	sh_doubles_add(&d, UINT64_MAX, 200000);
	ok(sh_doubles_finish(&d) == UINT64_MAX, "weights below 2^46 are decimals");
	sh_doubles_add(&d, 0, INT64_C(1) << 46);
	ok(sh_doubles_finish(&d) == 0, "weights beside one of at least 2^46 are no decimals");
}

/* The lightest weight has one bit too many, and the heaviest limits the factor. */
static void test_halves(void)
{
	struct sh_heavy f[3] = { { .weight = sh_double_key(4096) },
		{ .weight = sh_double_key(0.5 + 0x1p-51) },
		{ .weight = sh_double_key(0.5 + 0x1p-52) } };

	sh_doubles_write(f, 3);
	ok(f[0].weight == INT64_C(1) << 62 && f[1].weight == (INT64_C(1) << 49) + 1 &&
		f[2].weight == INT64_C(1) << 49,
	    "weights are rounded to whole numbers, halves up");
}

int main(void)
{
	rng_init(50);
	test_random();
	test_scales();
	test_decimals();
	test_halves();
	return done_testing();
}
