/* What an archive finds documents by: sketches that estimate a similarity, keys that similar documents
 * share. */
#include <math.h>
#include <string.h>

#include "archive/keys.h"
#include "archive/sketch.h"
#include "archive_util.h"
#include "rng.h"
#include "tap.h"

/* ---- sketches ---- */

static void test_sketches(void)
{
	struct sh_sketch cut = { 0 }, got = { 0 };
	struct sh_buf text = { 0 };
	struct sh_error err;
	int wrong = 0, accepted = 0;
	double bytes = 0;

	for (int turn = 0; turn < 400; turn++) {
		size_t n = turn < 40 ? (size_t)turn : 1 + rng_below(turn % 10 ? 700 : 20000);
		uint64_t *hash = malloc(n * sizeof *hash + 1);

		for (size_t i = 0; i < n; i++)
			hash[i] = turn % 7 == 3 ? UINT64_MAX - rng_below(64) : rng();
		qsort(hash, n, sizeof *hash, by_value);
		text.n = 0;
		works(sh_sketch_print(hash, n, &text, &err) == 0, &err);
		works(sh_sketch_cut(hash, n, &cut, &err) == 0, &err);
		if (sh_sketch_parse(sh_buf_slice(&text), &got, &err) < 0 || got.n != n ||
		    (n && memcmp(got.hash, cut.hash, n * sizeof *cut.hash) != 0))
			wrong++;
		/* Cut short it is no sketch. */
		for (int k = 0; n && k < 20; k++)
			accepted +=
			    sh_sketch_parse(sh_slice(text.p, rng_below(text.n)), &got, &err) == 0;
		if (n == 500)
			bytes = (double)text.n;
		free(hash);
	}
	ok(wrong == 0, "what a sketch holds is read again: %d wrong", wrong);
	ok(accepted == 0, "a sketch that was cut is refused: %d were not", accepted);
	{
		uint64_t hash[500];

		for (size_t i = 0; i < 500; i++)
			hash[i] = rng();
		qsort(hash, 500, sizeof *hash, by_value);
		text.n = 0;
		works(sh_sketch_print(hash, 500, &text, &err) == 0, &err);
		bytes = (double)text.n / 500;
	}
	ok(bytes < 4.2, "500 features take %.2f bytes each", bytes);
	sh_sketch_free(&cut);
	sh_sketch_free(&got);
	sh_buf_free(&text);
}

/* ---- keys ---- */

static int share_key(const struct sh_key_rule *r, const uint64_t *x, size_t nx, const uint64_t *y,
    size_t ny, struct sh_key_list *a, struct sh_key_list *b)
{
	struct sh_error err;

	a->n = b->n = 0;
	works(sh_keys_of(r, x, nx, a, &err) == 0, &err);
	works(sh_keys_of(r, y, ny, b, &err) == 0, &err);
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (a->key[i] == b->key[k])
				return 1;
	return 0;
}

/* Two sets of n and m features, `common` of them in both. */
static void draw_sets(uint64_t *x, size_t n, uint64_t *y, size_t m, size_t common)
{
	for (size_t i = 0; i < n; i++)
		x[i] = rng();
	for (size_t i = 0; i < m; i++)
		y[i] = i < common ? x[i] : rng();
	qsort(x, n, sizeof *x, by_value);
	qsort(y, m, sizeof *y, by_value);
}

/* The share of pairs of similarity J that meet is what the page says. */
static void test_recall(void)
{
	static const double similarity[] = { 0.5, 0.6, 0.7, 0.8, 0.85, 0.9 };
	struct sh_key_rule r = { .few = 20, .threshold = 800000, .key = { 1, 2 } };
	struct sh_key_list a = { 0 }, b = { 0 };
	enum { PAIRS = 2000, UNION = 240 };

	sh_key_layout(&r);
	ok(r.bands == 12 && r.rows == 4, "the layout for 0.8: %u bands of %u", r.bands, r.rows);
	for (size_t s = 0; s < 6; s++) {
		size_t common = (size_t)(similarity[s] * UNION + 0.5), found = 0;
		double j = (double)common / UNION, want = 1 - pow(1 - pow(j, 4), 12);
		double error = 5 * sqrt(want * (1 - want) / PAIRS) + 0.5 / PAIRS;

		for (int i = 0; i < PAIRS; i++) {
			uint64_t x[UNION], y[UNION];
			size_t n = common + (UNION - common) / 2, m = UNION + common - n;

			draw_sets(x, n, y, m, common);
			found += (size_t)share_key(&r, x, n, y, m, &a, &b);
		}
		ok(fabs((double)found / PAIRS - want) <= error,
		    "J = %.3f: %.4f of the pairs share a key, expected %.4f", j,
		    (double)found / PAIRS, want);
	}
	free(a.key);
	free(b.key);
}

/* 99.8 % at the threshold, whatever it is. */
static void test_layouts(void)
{
	int bad = 0;

	for (uint64_t t = 60000; t <= 1000000; t += 5000) {
		struct sh_key_rule r = { .threshold = t };
		double missed;

		sh_key_layout(&r);
		missed = pow(1 - pow((double)t / 1e6, r.rows), r.bands);
		if (missed > 0.02 || (t >= 100000 && missed > 0.00201))
			bad++;
	}
	ok(bad == 0, "every threshold has its layout: %d do not", bad);
}

/* Pairs of few features that reach the threshold all share a key. */
static void test_few(void)
{
	struct sh_key_list a = { 0 }, b = { 0 };
	int missed = 0, reached = 0;

	for (int i = 0; i < 30000; i++) {
		struct sh_key_rule r = { .few = (unsigned)(1 + rng_below(30)),
			.threshold = 1000 * (uint64_t)(100 + rng_below(901)),
			.key = { 1, 2 } };
		size_t n = 1 + rng_below(30), common = 1 + rng_below(n), m = common + rng_below(8);
		uint64_t x[64], y[64];

		sh_key_layout(&r);
		if ((n >= r.few && m >= r.few) || common * 1000000 < r.threshold * (n + m - common))
			continue;
		draw_sets(x, n, y, m, common);
		reached++;
		missed += !share_key(&r, x, n, y, m, &a, &b);
	}
	ok(missed == 0 && reached > 5000,
	    "small documents that are like one share a key: %d of %d do not", missed, reached);
	free(a.key);
	free(b.key);
}

/* Documents of `few` features or more have a key a band; those that are smaller, or can be as
 * similar as the threshold to one that is, those of their first features. */
static void test_which_keys(void)
{
	struct sh_key_list keys = { 0 };
	struct sh_error err;
	int wrong = 0;

	for (unsigned few = 0; few <= 30; few++) {
		struct sh_key_rule r = { .few = few, .threshold = 800000, .key = { 1, 2 } };

		sh_key_layout(&r);
		for (size_t n = 0; n <= 60; n++) {
			uint64_t x[60], y[1];
			size_t by_band = 0, by_feature = 0;
			bool like_small = few && 800000 * n <= 1000000 * (uint64_t)(few - 1);

			draw_sets(x, n, y, 0, 0);
			keys.n = 0;
			works(sh_keys_of(&r, x, n, &keys, &err) == 0, &err);
			for (size_t i = 0; i < keys.n; i++) {
				by_band += sh_key_band(keys.key[i]) < r.bands;
				by_feature += sh_key_band(keys.key[i]) == SH_BAND_FEATURE;
			}
			wrong += by_band != (n && n >= few ? r.bands : 0) ||
				 by_feature != (like_small ? n - (4 * n + 4) / 5 + (n > 0) : 0) ||
				 by_band + by_feature != keys.n;
		}
	}
	ok(wrong == 0, "keys by band from --few features on, by feature to 5/4 of them: %d wrong",
	    wrong);
	free(keys.key);
}

int main(void)
{
	rng_init(UINT64_C(0xa7c41e));
	test_sketches();
	test_layouts();
	test_recall();
	test_few();
	test_which_keys();
	return done_testing();
}
