/* SPDX-License-Identifier: MIT */
#include "weight/weight.h"

#include <float.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

/* An oracle without libm: the same identity in long double, in other steps. */
static long double ln(uint64_t x)
{
	const long double ln2 = 0.693147180559945309417232121458176568L;
	long double m = (long double)x, z, square, sum = 0;
	int e = 0, i;

	for (; m >= 1.5L; e++)
		m /= 2;
	z = (m - 1) / (m + 1);
	square = z * z;
	for (i = 61; i > 0; i -= 2)
		sum = sum * square + 1.0L / i;
	return (long double)e * ln2 + 2 * z * sum;
}

static long double value(uint64_t x)
{
	return (long double)sh_ln(x) / (long double)(UINT64_C(1) << SH_LN_BITS);
}

static int near(uint64_t a, uint64_t b)
{
	return a - b + 2 <= 4;
}

/* Values from a computation in 60 decimals. */
static void test_known_logarithms(void)
{
	ok(sh_ln(1) == 0, "ln 1 = 0");
	ok(sh_ln(2) == UINT64_C(0xb17217f7d1cf79), "ln 2 = 0.693147180559945309...");
	ok(near(sh_ln(10), UINT64_C(0x24d763776aaa2b0)), "ln 10 = 2.302585092994045684...");
	ok(near(sh_ln(1000000007), UINT64_C(0x14b927f34a104d07)),
	    "ln 1000000007 = 20.72326584394640...");
	ok(near(sh_ln(UINT64_MAX), UINT64_C(0x2c5c85fdf473de6a)),
	    "ln(2^64 - 1) = 44.3614195558364998...");
}

static int64_t nearest(long double x)
{
	return (int64_t)(x * 1000000 + 0.5L);
}

/* Whether x is so near half a millionth that the oracle cannot tell its rounding. */
static int on_the_edge(long double x)
{
	long double part = x * 1000000 - (long double)(int64_t)(x * 1000000);

	return part > 0.5L - 1e-9L && part < 0.5L + 1e-9L;
}

static void test_ln_against_oracle(void)
{
	const struct sh_scheme *log = sh_scheme_find("log");
	struct sh_term t = { 0 };
	struct sh_error err;
	long double worst = 0, d;
	int64_t w;
	uint64_t x;
	int i, bad = 0, edge = 0;

	for (i = 0; i < 3000000; i++) {
		x = i < 1000000 ? (uint64_t)i + 1 : i % 2 ? rng_any() | 1 : rng() | 1;
		d = value(x) - ln(x);
		d = d < 0 ? -d : d;
		worst = d > worst ? d : worst;
		t.tf = x;
		edge += on_the_edge(1 + ln(x));
		bad += log->weigh(&t, &w, &err) < 0 ||
		       (w != nearest(1 + ln(x)) && !on_the_edge(1 + ln(x)));
	}
	ok(worst < 6e-17L, "1..10^6 and 2*10^6 random u64: sh_ln is at most %.2Lg off", worst);
	ok(!bad && edge < 10, "1 + ln(tf) is rounded to the nearest millionth (%d too near to say)",
	    edge);
}

static void test_ln_grows(void)
{
	uint64_t x, bad = 0;
	int i;

	for (x = 1; x < 2000000; x++)
		bad += sh_ln(x + 1) <= sh_ln(x);
	for (i = 0; i < 1000000; i++) {
		x = (rng_any() >> 12) + 1;
		bad += sh_ln(x + 1) <= sh_ln(x);
	}
	ok(!bad, "sh_ln grows from each number below 2^52 to the next");
}

static const struct {
	const char *scheme;
	struct sh_term t;
	int64_t w;
} rows[] = {
	{ "set", { .tf = 1 }, 1000000 },
	{ "set", { .tf = 99 }, 1000000 },
	{ "tf", { .tf = 3 }, 3000000 },
	{ "tf", { .tf = 9223372036854 }, INT64_C(9223372036854000000) },
	{ "freq", { .tf = 1, .tokens = 3 }, 333333 },
	{ "freq", { .tf = 2, .tokens = 3 }, 666667 },
	{ "freq", { .tf = 1, .tokens = 2000000 }, 1 },
	{ "freq", { .tf = 1, .tokens = 2000001 }, 0 },
	{ "freq", { .tf = UINT64_MAX, .tokens = UINT64_MAX }, 1000000 },
	{ "log", { .tf = 1 }, 1000000 },
	{ "log", { .tf = 2 }, 1693147 },
	{ "log", { .tf = 10 }, 3302585 },
	{ "log", { .tf = UINT64_MAX }, 45361420 },
	{ "tfidf", { .tf = 1, .df = 1, .docs = 10 }, 2302585 },
	{ "tfidf", { .tf = 3, .df = 2, .docs = 20 }, 6907755 },
	{ "tfidf", { .tf = 5, .df = 7, .docs = 7 }, 0 },
	{ "tfidf", { .tf = 4, .df = 9, .idf = 1500001 }, 6000004 },
	{ "logidf", { .tf = 1, .df = 1, .docs = 10 }, 2302585 },
	{ "logidf", { .tf = 2, .df = 1, .docs = 10 }, 3898615 },
	{ "logidf", { .tf = 2, .idf = 2000000 }, 3386294 },
	{ "logidf", { .tf = UINT64_MAX, .df = 1, .docs = UINT64_MAX }, 2012296965 },
};

static void test_schemes(void)
{
	struct sh_error err;
	int64_t w;
	size_t i;
	int rc;

	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		w = -1;
		rc = sh_scheme_find(rows[i].scheme)->weigh(&rows[i].t, &w, &err);
		ok(rc == 0 && w == rows[i].w, "%s: tf %llu of %llu, df %llu of %llu -> %lld (%lld)",
		    rows[i].scheme, (unsigned long long)rows[i].t.tf,
		    (unsigned long long)rows[i].t.tokens, (unsigned long long)rows[i].t.df,
		    (unsigned long long)rows[i].t.docs, (long long)rows[i].w, (long long)w);
	}
}

static void fails(const char *scheme, struct sh_term t, enum sh_err code, const char *why)
{
	struct sh_error err;
	int64_t w;

	err.code = SH_OK;
	ok(sh_scheme_find(scheme)->weigh(&t, &w, &err) < 0 && err.code == code, "%s: %s", scheme,
	    why);
}

static void test_refusals(void)
{
	struct sh_term huge_idf = { .tf = 3, .idf = INT64_MAX / 2 + 1 };
	unsigned i;

	for (i = 0; sh_scheme_at(i); i++)
		fails(sh_scheme_at(i)->name, (struct sh_term){ .tokens = 1, .df = 1, .docs = 1 },
		    SH_ERR_PARAM, "tf 0 is refused");
	fails("tf", (struct sh_term){ .tf = 9223372036855 }, SH_ERR_RANGE, "too many occurrences");
	fails("tf", (struct sh_term){ .tf = UINT64_MAX }, SH_ERR_RANGE, "far too many");
	fails("freq", (struct sh_term){ .tf = 2, .tokens = 1 }, SH_ERR_PARAM, "tf above tokens");
	fails("tfidf", (struct sh_term){ .tf = 1, .df = 0, .docs = 9 }, SH_ERR_PARAM, "df 0");
	fails("tfidf", (struct sh_term){ .tf = 1, .df = 10, .docs = 9 }, SH_ERR_PARAM,
	    "df above the number of documents");
	fails("logidf", (struct sh_term){ .tf = 1, .df = 10, .docs = 9 }, SH_ERR_PARAM,
	    "df above the number of documents");
	fails("tfidf", (struct sh_term){ .tf = UINT64_MAX, .df = 1, .docs = UINT64_MAX },
	    SH_ERR_RANGE, "too large a product");
	fails("tfidf", huge_idf, SH_ERR_RANGE, "too large a product with an idf given");
	fails("logidf", huge_idf, SH_ERR_RANGE, "too large a product with an idf given");
	fails("tfidf", (struct sh_term){ .tf = 1, .idf = -1 }, SH_ERR_PARAM, "a negative idf");
}

static void test_tfidf_against_oracle(void)
{
	const struct sh_scheme *tfidf = sh_scheme_find("tfidf"), *logidf = sh_scheme_find("logidf");
	struct sh_term t = { 0 };
	struct sh_error err;
	long double x, y;
	int64_t w, v;
	int i, bad = 0;

	for (i = 0; i < 1000000; i++) {
		t.docs = 1 + (rng_any() >> 24);
		t.df = 1 + rng_below(t.docs);
		t.tf = 1 + (rng_any() >> 44);
		x = (long double)t.tf * (ln(t.docs) - ln(t.df));
		y = (1 + ln(t.tf)) * (ln(t.docs) - ln(t.df));
		bad += tfidf->weigh(&t, &w, &err) < 0 || logidf->weigh(&t, &v, &err) < 0;
		bad += t.tf < 1000 && w != nearest(x) && !on_the_edge(x);
		bad += w > nearest(x) + 1 || w < nearest(x) - 1;
		bad += v != nearest(y) && !on_the_edge(y);
	}
	t.docs = t.df = 0;
	for (i = 0; i < 100000; i++) {
		t.tf = 1 + (rng_any() >> 44);
		t.idf = (int64_t)rng_below(50000000);
		y = (1 + ln(t.tf)) * (long double)t.idf / 1e6L;
		bad += logidf->weigh(&t, &v, &err) < 0 || (v != nearest(y) && !on_the_edge(y));
	}
	ok(!bad, "tfidf and logidf of 10^6 random terms are the nearest millionth");
}

/* Numbers so large that the logarithms of neighbours are equal. */
static void test_huge_frequencies(void)
{
	const struct sh_scheme *tfidf = sh_scheme_find("tfidf");
	struct sh_term t = { .tf = 1 };
	struct sh_error err;
	int64_t w;
	int i, bad = 0;

	for (i = 0; i < 200000; i++) {
		t.docs = rng() | UINT64_C(1) << 63;
		t.df = t.docs - rng_below(100);
		bad += tfidf->weigh(&t, &w, &err) < 0 || w != 0;
	}
	ok(!bad, "df just below 2^63..2^64 documents weighs 0, never wraps");
}

int main(void)
{
	const struct sh_scheme *s;
	unsigned i;

	rng_init(1);
	if (LDBL_MANT_DIG < 64) {
		printf("1..0 # SKIP long double is too short to be the oracle\n");
		return 0;
	}
	test_known_logarithms();
	test_ln_against_oracle();
	test_ln_grows();
	test_schemes();
	test_refusals();
	test_tfidf_against_oracle();
	test_huge_frequencies();
	for (i = 0; (s = sh_scheme_at(i)); i++)
		ok(sh_scheme_find(s->name) == s, "%s is found by its name", s->name);
	ok(!sh_scheme_find("bm25"), "another name is not");
	return done_testing();
}
