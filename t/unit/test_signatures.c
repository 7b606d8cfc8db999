/* The join of signatures gives the pairs of brute force, each once. */
#include "join/signatures.h"

#include <stdio.h>
#include <stdlib.h>

#include "rng.h"
#include "tap.h"

enum { MANY = 60, VALUES = 12 };

static struct sh_error err;

struct found {
	unsigned times[MANY][MANY];
	unsigned differ[MANY][MANY];
};

static int record(struct sh_job *job, struct sh_slice id1, struct sh_slice id2, unsigned differ,
    struct sh_error *e)
{
	struct found *f = job->pool->arg;
	unsigned a = (unsigned)atoi(id1.p), b = (unsigned)atoi(id2.p);

	(void)e;
	f->times[a][b]++;
	f->differ[a][b] = differ;
	return 0;
}

static uint32_t raw[2][MANY][VALUES];

/* Few values and copies give large buckets. */
static void make(struct sh_signatures *s, unsigned side, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char line[VALUES * SH_SIGNATURE_VALUE_DIGITS + 16], *p = line;
		bool copy = i > 0 && rng() % 8 == 0;

		for (unsigned v = 0; v < VALUES; v++) {
			raw[side][i][v] = copy ? raw[side][i - 1][v] : (uint32_t)(rng() % 3);
			p += sprintf(p, "%08x", raw[side][i][v]);
		}
		/* Ids of one width, so that their order is that of the numbers. */
		p += sprintf(p, "\t%02zu ", i);
		if (sh_signatures_add(s, sh_slice(line, (size_t)(p - line)), &err) < 0)
			printf("# %s\n", err.text);
	}
}

static unsigned differing(const uint32_t *x, const uint32_t *y)
{
	unsigned d = 0;

	for (unsigned v = 0; v < VALUES; v++)
		d += x[v] != y[v];
	return d;
}

static bool share(const uint32_t *x, const uint32_t *y, unsigned rows, unsigned bands)
{
	for (unsigned b = 0; b < bands; b++) {
		unsigned equal = 0;

		for (unsigned r = 0; r < rows; r++)
			equal += x[b * rows + r] == y[b * rows + r];
		if (equal == rows)
			return true;
	}
	return false;
}

/* Returns whether an earlier signature of the side equals signature i. */
static bool is_copy(unsigned side, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (differing(raw[side][k], raw[side][i]) == 0)
			return true;
	return false;
}

/* Returns whether i and k are to be a pair. Under collapse a copy is paired with its first only. */
static bool wanted(const struct sh_signature_join *j, bool cross, size_t i, size_t k)
{
	const uint32_t *x = raw[0][i], *y = raw[cross][k];
	unsigned d = differing(x, y);

	if (!cross && i >= k)
		return false;
	if (j->collapse && cross && is_copy(1, k))
		return false;
	if (j->collapse && !cross && (is_copy(0, i) || is_copy(0, k)))
		return d == 0 && !is_copy(0, i);
	return share(x, y, j->rows, j->bands) && d <= j->most;
}

static bool one_case(bool cross)
{
	struct sh_signatures a = { 0 }, b = { 0 };
	struct found f = { 0 };
	struct sh_pool pool = { .arg = &f };
	struct sh_job job = { .pool = &pool };
	unsigned rows = 1 + (unsigned)(rng() % 6);
	struct sh_signature_join j = {
		.rows = rows,
		.bands = 1 + (unsigned)(rng() % (VALUES / rows)),
		.most = rng() % 2 ? VALUES : (unsigned)(rng() % VALUES),
		.collapse = rng() % 2,
		.pair = record,
		.out = &job,
	};
	size_t n = rng() % MANY, m = rng() % MANY;
	bool good;

	make(&a, 0, n);
	if (cross)
		make(&b, 1, m);
	good = sh_signatures_join(&j, &a, cross ? &b : NULL, &err) == 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < (cross ? m : n); k++) {
			bool want = wanted(&j, cross, i, k);

			good = good && f.times[i][k] == want;
			good = good &&
			       (!want || f.differ[i][k] == differing(raw[0][i], raw[cross][k]));
		}
	sh_signatures_free(&a);
	sh_signatures_free(&b);
	return good;
}

static bool refused(struct sh_signatures *s, const char *line)
{
	return sh_signatures_add(s, sh_slice_str(line), &err) < 0 && err.code == SH_ERR_RECORD;
}

static void test_records(void)
{
	struct sh_signatures s = { 0 };

	ok(refused(&s, "0000000g\ta") && refused(&s, "0000000A\ta") && refused(&s, "000000\ta") &&
		refused(&s, "\ta") && refused(&s, "00000000") && refused(&s, "00000000\t") &&
		refused(&s, "00000000\ta\tb"),
	    "lines that are not a signature with an id are refused");
	sh_signatures_free(&s);
	s = (struct sh_signatures){ 0 };
	ok(sh_signatures_add(&s, sh_slice_str("0000000100000002\ta"), &err) == 0 &&
		refused(&s, "00000001\tb") && s.n == 1,
	    "a signature of another width is refused");
	sh_signatures_free(&s);
}

int main(void)
{
	unsigned good = 0, cases = 600;

	rng_init(7);
	for (unsigned i = 0; i < cases; i++)
		good += one_case(i % 2);
	ok(good == cases, "the pairs equal the pairs of brute force, each once: %u of %u cases",
	    good, cases);
	test_records();
	return done_testing();
}
