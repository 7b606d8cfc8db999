/* Compares pairs that share a key with their definition, and the recall of keys with its formula.
 * */
#include "join/buckets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fp/minhash.h"
#include "fp/minkeys.h"
#include "fp/reach.h"
#include "group/keyplan.h"
#include "rng.h"
#include "tap.h"

enum { KEYS = 3, DOCS = 150000, SOME = 400, MOST = 1600 };
#define CHANCE 1e-7

static uint64_t key[DOCS][KEYS];
static uint32_t number[DOCS];
static uint64_t want[1 << 21];
static size_t n_want;

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* ---- pairs by definition ---- */

static bool is_in(const struct sh_bucket_join *join, uint32_t x, uint32_t y)
{
	if (x == SH_BUCKETS_NONE || y == SH_BUCKETS_NONE)
		return false;
	return !join->split || (x < join->split) != (y < join->split);
}

static void add_want(const struct sh_bucket_join *join, size_t a, size_t b)
{
	uint32_t x = join->number[a], y = join->number[b];

	if (is_in(join, x, y) && n_want < sizeof want / sizeof *want)
		want[n_want++] = x < y ? (uint64_t)y << 32 | x : (uint64_t)x << 32 | y;
}

struct keyed {
	uint64_t key;
	size_t document;
};

static int by_key(const void *a, const void *b)
{
	return ascending(&((const struct keyed *)a)->key, &((const struct keyed *)b)->key);
}

static void find_want(const struct sh_bucket_join *join, size_t n)
{
	static struct keyed order[DOCS];
	size_t kept = 0;

	n_want = 0;
	for (unsigned c = 0; c < KEYS; c++) {
		for (size_t i = 0; i < n; i++)
			order[i] = (struct keyed){ key[i][c], i };
		qsort(order, n, sizeof *order, by_key);
		for (size_t i = 0; i < n; i++)
			for (size_t k = i + 1; k < n && order[k].key == order[i].key; k++)
				add_want(join, order[i].document, order[k].document);
	}
	qsort(want, n_want, sizeof *want, ascending);
	for (size_t i = 0; i < n_want; i++)
		if (i == 0 || want[i] != want[i - 1])
			want[kept++] = want[i];
	n_want = kept;
}

static struct sh_buckets *filled(const struct sh_bucket_opts *o, size_t n)
{
	static uint32_t low[KEYS * SOME];
	static uint8_t first[KEYS * SOME];
	const struct sh_key_block block = { low, first, SOME };
	struct sh_error err;
	struct sh_buckets *b = sh_buckets_new(o, &err);

	must(b != NULL);
	for (size_t i = 0, m; i < n; i += m) {
		m = 1 + (7 * i + 100) % SOME;
		m = m < n - i ? m : n - i;
		for (size_t k = 0; k < m; k++)
			sh_buckets_pack(b, key[i + k], &block, k);
		must(sh_buckets_add(b, &block, m, &err) == 0);
		must(i % 3 || sh_buckets_help(b, &err) == 0);
	}
	return b;
}

/* Returns whether exactly the expected pairs are found, of the expected pairs and the pairs whose
 * lesser number is one more. */
static bool knows_found(const struct sh_buckets *b)
{
	size_t wrong = 0;

	for (size_t i = 0; i < n_want; i++) {
		uint32_t x = (uint32_t)want[i], y = (uint32_t)(want[i] >> 32);
		bool next = i + 1 < n_want && want[i + 1] == want[i] + 1;

		wrong += !sh_buckets_found(b, x, y) || !sh_buckets_found(b, y, x);
		wrong += sh_buckets_found(b, x + 1, y) != next;
	}
	return !wrong;
}

/* Returns whether the pairs are the expected pairs. With a limit below their number, returns
 * whether the pairs are reported as too many. */
static bool agrees(struct sh_buckets *b, struct sh_bucket_join join)
{
	const uint64_t *pair;
	struct sh_error err;
	size_t n;

	join.limit = n_want;
	if (sh_buckets_pairs(b, &join, &pair, &n, &err) != 1 || n != n_want ||
	    (n && memcmp(pair, want, n * sizeof *pair) != 0))
		return false;
	if (n_want == 0)
		return !sh_buckets_found(b, 0, 1);
	if (!knows_found(b))
		return false;
	join.limit = n_want - 1;
	return sh_buckets_pairs(b, &join, &pair, &n, &err) == 0;
}

/* Makes n documents with keys of about n / each values. Some documents are in no pair. */
static void draw(size_t n, uint64_t each)
{
	uint64_t values = n / each + 1;

	for (size_t i = 0; i < n; i++) {
		for (unsigned c = 0; c < KEYS; c++)
			key[i][c] = (rng_below(values) * UINT64_C(0x9E3779B97F4A7C15)) >> 24;
		number[i] = (uint32_t)i;
	}
	for (size_t i = n; i > 1; i--) { /* the order differs */
		size_t k = rng_below(i);
		uint32_t x = number[i - 1];

		number[i - 1] = number[k];
		number[k] = x;
	}
	for (size_t i = 0; i < n; i += 1 + rng_below(20))
		number[i] = SH_BUCKETS_NONE;
}

static void random_buckets(size_t n, uint64_t each, size_t memory, unsigned jobs)
{
	struct sh_bucket_opts o = { KEYS, memory, jobs, NULL };
	struct sh_bucket_join join = { .number = number };
	struct sh_buckets *b;
	bool good;

	draw(n, each);
	b = filled(&o, n);
	find_want(&join, n);
	good = agrees(b, join);
	for (unsigned i = 0; i < 2; i++) {
		join.split = i ? 1 : (uint32_t)(1 + rng_below(n + 1));
		find_want(&join, n);
		good = good && agrees(b, join);
	}
	ok(good, "%zu documents, about %llu a bucket, %zu bytes, %u threads", n,
	    (unsigned long long)each, memory, jobs);
	sh_buckets_delete(b);
}

/* A bucket of all documents gives a linear number of pairs, which connect the documents. */
static void near_ones(void)
{
	struct sh_bucket_opts o = { KEYS, 1 << 20, 1, NULL };
	struct sh_bucket_join join = { .number = number, .limit = SIZE_MAX, .near = 4 };
	struct sh_buckets *b;
	const uint64_t *pair;
	struct sh_error err;
	size_t n, wrong = 0, at = 0;

	memset(key, 0, sizeof key);
	for (uint32_t i = 0; i < SOME; i++)
		number[i] = i;
	b = filled(&o, SOME);
	must(sh_buckets_pairs(b, &join, &pair, &n, &err) == 1);
	for (uint32_t i = 0; i < SOME; i++)
		for (uint32_t k = 0; k < i; k++)
			if (k < 4 || k + 4 >= i)
				wrong += at >= n || pair[at++] != ((uint64_t)i << 32 | k);
	ok(!wrong && at == n,
	    "a large bucket pairs each document with the first and the nearest documents");
	sh_buckets_delete(b);
}

/* ---- recall ---- */

/* Returns how many of `turns` pairs of sets with similarity common / all share no key. */
static unsigned missed(struct sh_minkeys k, size_t common, size_t all, unsigned turns)
{
	unsigned shared = 0;

	for (unsigned t = 0; t < turns; t++) {
		uint64_t set[2][MOST], value[SH_FP_MAX_BITS], keys[2][SH_MINKEYS_MAX];
		size_t own = (all - common) / 2;
		bool any = false;

		for (size_t i = 0; i < common; i++)
			set[0][i] = set[1][i] = rng();
		for (size_t i = common; i < common + own; i++) {
			set[0][i] = rng();
			set[1][i] = rng();
		}
		for (unsigned s = 0; s < 2; s++) {
			sh_minhash_bins(set[s], common + own, k.rows * k.keys, value);
			sh_minkeys_of(k, value, keys[s]);
		}
		for (unsigned i = 0; i < k.keys; i++)
			any |= keys[0][i] == keys[1][i];
		shared += any;
	}
	return turns - shared;
}

/* Returns the probability of at most `hits` hits in n trials of probability p, 0 < p < 1. */
static double at_most(unsigned hits, unsigned n, double p)
{
	double sum = 0;

	for (unsigned i = 0; i <= hits; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) +
			   (n - i) * log1p(-p));
	return sum;
}

/* The number of missed pairs has a binomial distribution. A number that is as unlikely as CHANCE is
 * wrong. The sets are large, because the values of a small set depend on each other. */
static void recall(void)
{
	static const struct sh_minkeys layout[] = { { 4, 16 }, { 5, 12 }, { 3, 21 }, { 2, 30 } };
	const unsigned n = 3000;

	for (unsigned i = 0; i < 4; i++) {
		struct sh_minkeys k = layout[i];
		unsigned misses, wrong = 0;

		for (unsigned tenths = 1; tenths <= 9; tenths += 2) {
			double j = tenths / 10.0, p = pow(1 - pow(j, k.rows), k.keys);

			misses = missed(k, tenths * MOST / 10, MOST, n);
			wrong += fabs(sh_minkeys_found(k, j) - (1 - p)) > 1e-12;
			wrong += at_most(misses, n, p) < CHANCE;
			wrong += misses && at_most(misses - 1, n, p) > 1 - CHANCE;
		}
		ok(!wrong, "%u keys of %u values have the recall of the formula", k.keys, k.rows);
	}
	ok(missed((struct sh_minkeys){ 4, 16 }, 8, 10, 4000) < 8,
	    "small sets share keys as often as large sets");
	ok(fabs(sh_reach(64, true, 800000, 14) - at_most(14, 64, 0.1)) < 1e-9 &&
		fabs(sh_reach(128, true, 500000, 0) - at_most(0, 128, 0.25)) < 1e-9,
	    "the reach of a distance is that of the binomial distribution");
}

/* Keys find at least as many pairs as the distance, from the lowest similarity on. */
static void plans(void)
{
	static uint64_t value[500 * SH_KEY_PLAN_VALUES];
	struct sh_key_place place[5];
	unsigned wrong = 0, chosen = 0, rows = 0;
	struct sh_error err;

	for (size_t i = 0; i < sizeof value / sizeof *value; i++)
		value[i] = rng_below(100);
	for (size_t i = 0; i < 5; i++)
		place[i] = (struct sh_key_place){ value + i * 100 * SH_KEY_PLAN_VALUES, 100 };
	for (unsigned turn = 0; turn < 200; turn++) {
		struct sh_key_plan p = { .bits = rng_below(2) ? 64 : 128,
			.k = 3 + (unsigned)rng_below(12),
			.minhash = rng_below(4) > 0,
			.jobs = 1 + (unsigned)rng_below(3),
			.lowest = 500000 + rng_below(400000),
			.documents = pow(10, 3 + 0.01 * (double)rng_below(600)) };

		must(sh_key_plan_choose(&p, place, 5, &err) == 0);
		if (!p.keys.keys)
			continue;
		chosen++;
		rows += p.keys.rows;
		wrong += p.documents > 1e6 && !sh_key_plan_is_worthwhile(&p);
		for (uint64_t j = p.lowest; j < 1000000; j += 1000)
			wrong += sh_minkeys_found(p.keys, (double)j / 1e6) <
				 sh_reach(p.bits, p.minhash, j, p.k) - 0.003;
	}
	ok(!wrong && chosen > 20 && chosen < 180,
	    "keys find at least as many pairs as the distance; %u of 200 plans have keys, of %.1f "
	    "rows",
	    chosen, (double)rows / chosen);
	ok(sh_key_plan_lowest(900000, 3) == 573564 && sh_key_plan_lowest(500000, 3) == 500000,
	    "the Jaccard similarity of edited texts is estimated");
}

/* Returns the expected number of chance candidates when two sampled documents, alone, are a little
 * similar: documents x and y of 4 places of 50. */
static double chance(size_t x, size_t y, double documents)
{
	static uint64_t value[200 * SH_KEY_PLAN_VALUES];
	struct sh_key_plan p = { .bits = 64,
		.k = 14,
		.minhash = true,
		.lowest = 540000,
		.only_keys = true,
		.jobs = 2,
		.documents = documents };
	struct sh_key_place place[4];
	struct sh_error err;

	for (size_t i = 0; i < sizeof value / sizeof *value; i++)
		value[i] = rng();
	memcpy(value + x * SH_KEY_PLAN_VALUES, value + y * SH_KEY_PLAN_VALUES, 5 * sizeof *value);
	for (size_t i = 0; i < 4; i++)
		place[i] = (struct sh_key_place){ value + i * 50 * SH_KEY_PLAN_VALUES, 50 };
	must(sh_key_plan_choose(&p, place, 4, &err) == 0 && p.keys.rows == 4);
	return p.chance;
}

static void chances(void)
{
	double within = chance(51, 99, 1e6), across = chance(49, 50, 1e6);

	ok(within > 0 && fabs(chance(51, 99, 1e7) / within - 10) < 0.01,
	    "similar documents of one place: chance candidates grow linearly with the documents");
	ok(across > 0 && fabs(chance(49, 50, 1e7) / across - 100) < 0.01,
	    "similar documents of two places: chance candidates grow with the square of the "
	    "documents");
}

int main(void)
{
	rng_init(41);
	random_buckets(SOME, 3, 1 << 20, 1);
	random_buckets(SOME, 40, 1 << 20, 1);
	random_buckets(1, 1, 1 << 20, 1);
	random_buckets(0, 1, 1 << 20, 1);
	random_buckets(DOCS, 2, 1 << 26, 1);
	random_buckets(DOCS, 2, 1 << 23, 1); /* the last piece is in the file */
	random_buckets(DOCS, 3, 1 << 20, 3);
	random_buckets((size_t)2 * SH_PIECE, 2, 1, 2); /* the last piece is full */
	near_ones();
	recall();
	plans();
	chances();
	return done_testing();
}
