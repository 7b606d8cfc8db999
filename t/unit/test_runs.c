/* Sorted runs merged from a file = all entries sorted at once: empty ones, entries longer than any
 * buffer, more runs than are merged at a time. */
#include "io/runs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rng.h"
#include "tap.h"

enum { LONGEST = 600000, ENTRIES_MAX = 3000 };

/* Of a byte that repeats. */
struct entry {
	size_t key_n, value_n;
	char key, value;
	unsigned run;
};

static char bytes[2][LONGEST];

static struct sh_slice filled(unsigned which, char c, size_t n)
{
	memset(bytes[which], c, n);
	return sh_slice(bytes[which], n);
}

/* Few keys, so that runs have them in common. */
static struct entry draw(unsigned run, bool large)
{
	struct entry e = { .key_n = rng_below(4),
		.key = (char)('a' + (char)rng_below(3)),
		.value_n = rng_below(20),
		.value = (char)('A' + (char)rng_below(26)),
		.run = run };

	if (large && rng_below(10) == 0)
		e.value_n = rng_below(LONGEST);
	if (large && rng_below(20) == 0)
		e.key_n = rng_below(LONGEST);
	return e;
}

static int by_key(const struct entry *x, const struct entry *y)
{
	size_t n = x->key_n < y->key_n ? x->key_n : y->key_n;

	if (n && x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->key_n < y->key_n ? -1 : x->key_n > y->key_n;
}

/* Equal keys come in the order of their runs, and in a run in the order of addition. */
static int in_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = by_key(x, y);

	if (c == 0 && x->run != y->run)
		c = x->run < y->run ? -1 : 1;
	if (c == 0 && x->value_n != y->value_n)
		c = x->value_n < y->value_n ? -1 : 1;
	return c ? c : x->value - y->value;
}

struct expected {
	const struct entry *next, *end;
	bool wrong;
};

static bool holds(struct sh_slice s, char c, size_t n)
{
	return s.n == n && (n == 0 || (s.p[0] == c && memcmp(s.p, s.p + 1, n - 1) == 0));
}

static int compare(void *arg, struct sh_slice key, struct sh_slice value, struct sh_error *err)
{
	struct expected *e = arg;

	(void)err;
	if (e->next == e->end || !holds(key, e->next->key, e->next->key_n) ||
	    !holds(value, e->next->value, e->next->value_n))
		e->wrong = true;
	else
		e->next++;
	return 0;
}

static void write_run(struct sh_runs *r, struct entry *e, size_t n)
{
	struct sh_error err;

	qsort(e, n, sizeof *e, in_order);
	must(sh_runs_begin(r, &err) == 0);
	for (size_t i = 0; i < n; i++)
		must(sh_runs_add(r, filled(0, e[i].key, e[i].key_n),
			 filled(1, e[i].value, e[i].value_n), &err) == 0);
	must(sh_runs_end(r, &err) == 0);
}

static bool merged(unsigned runs, bool large)
{
	static struct entry all[ENTRIES_MAX];
	struct expected want = { all, all, false };
	struct sh_runs r;
	struct sh_error err;
	size_t n = 0;

	sh_runs_init(&r, NULL);
	for (unsigned run = 0; run < runs; run++) {
		size_t more = rng_below(large ? 20 : ENTRIES_MAX / runs);

		for (size_t i = 0; i < more; i++)
			all[n + i] = draw(run, large);
		write_run(&r, all + n, more);
		n += more;
	}
	qsort(all, n, sizeof *all, in_order);
	want.end = all + n;
	must(sh_runs_merge(&r, compare, &want, &err) == 0);
	sh_runs_free(&r);
	return !want.wrong && want.next == want.end;
}

enum { READ_AT_ONCE = 65536, HEAD = 8 };

/* An entry ends `left` bytes before the end of a read; other entries follow. */
static bool at_a_seam(unsigned left)
{
	struct entry e[3] = { { .key_n = 1, .key = 'a', .value = 'A' },
		{ .key_n = 2, .value_n = 3, .key = 'b', .value = 'B' },
		{ .key_n = 3, .value_n = 2, .key = 'c', .value = 'C' } };
	struct expected want = { e, e + 3, false };
	struct sh_runs r;
	struct sh_error err;

	e[0].value_n = READ_AT_ONCE - HEAD - e[0].key_n - left;
	sh_runs_init(&r, NULL);
	write_run(&r, e, 3);
	must(sh_runs_merge(&r, compare, &want, &err) == 0);
	sh_runs_free(&r);
	return !want.wrong && want.next == want.end;
}

/* A changed file is an error, for any content. */
static void test_damage(void)
{
	struct entry e = { .key_n = 1, .value_n = 10, .key = 'a', .value = 'A' };
	struct expected want = { &e, &e + 1, false };
	struct sh_error err;
	struct sh_runs r;

	sh_runs_init(&r, NULL);
	write_run(&r, &e, 1);
	must(pwrite(r.fd, "\x0b", 1, 4) == 1);
	ok(sh_runs_merge(&r, compare, &want, &err) < 0 && err.code == SH_ERR_IO,
	    "an entry longer than its run: %s", err.text);
	if (SIZE_MAX > UINT32_MAX)
		ok(sh_runs_add(&r, filled(0, 'a', 1), sh_slice("", (size_t)UINT32_MAX + 1), &err) <
			    0 &&
			err.code == SH_ERR_RANGE,
		    "and one that is too long: %s", err.text);
	sh_runs_free(&r);
}

int main(void)
{
	static const unsigned runs[] = { 1, 2, 3, 63, 64, 65, 128, 129, 300 };

	rng_init(20261122);
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		ok(merged(runs[i], false), "%u runs", runs[i]);
	for (unsigned i = 1; i <= 5; i++)
		ok(merged(i, true), "%u runs with entries up to %d bytes", i, LONGEST);
	for (unsigned left = 0; left <= HEAD + 2; left++)
		ok(at_a_seam(left), "%u bytes of an entry before the rest is read", left);
	test_damage();
	return done_testing();
}
