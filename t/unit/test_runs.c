/* SPDX-License-Identifier: MIT */
/* Sorted runs merged from a file give all entries in sorted order: empty entries, entries longer
 * than any buffer, more runs than one merge takes, many ranges of keys. */
#include "io/runs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rng.h"
#include "tap.h"

enum { LONGEST = 600000, ENTRIES_MAX = 3000 };

enum size { SMALL, HUGE_ENTRIES, MANY_BLOCKS };

/* Makes a value of one repeated byte. */
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

/* There are few keys, so that runs have keys in common. */
static struct entry draw(unsigned run, enum size size)
{
	struct entry e = { .key_n = rng_below(4),
		.key = (char)('a' + (char)rng_below(3)),
		.value_n = rng_below(20),
		.value = (char)('A' + (char)rng_below(26)),
		.run = run };

	if (size == HUGE_ENTRIES && rng_below(10) == 0)
		e.value_n = rng_below(LONGEST);
	if (size == HUGE_ENTRIES && rng_below(20) == 0)
		e.key_n = rng_below(LONGEST);
	if (size == MANY_BLOCKS)
		e.value_n = rng_below(20000);
	if (size == MANY_BLOCKS && rng_below(2))
		e.key_n = rng_below(200);
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

static void write_part(struct sh_run_writer *w, const struct entry *e, size_t n)
{
	struct sh_error err;

	for (size_t i = 0; i < n; i++)
		must(sh_run_add(w, filled(0, e[i].key, e[i].key_n),
			 filled(1, e[i].value, e[i].value_n), &err) == 0);
	must(sh_run_end(w, &err) == 0);
}

/* Writes a run by two writers, the second part first. */
static void write_run(struct sh_runs *r, struct entry *e, size_t n)
{
	struct sh_run_writer w[2];
	size_t middle = rng_below((unsigned)n + 1);
	struct sh_error err;

	qsort(e, n, sizeof *e, in_order);
	sh_run_begin(&w[0], r);
	sh_run_begin(&w[1], r);
	write_part(&w[1], e + middle, n - middle);
	write_part(&w[0], e, middle);
	must(sh_runs_put(r, w, 2, &err) == 0);
	sh_run_free(&w[0]);
	sh_run_free(&w[1]);
}

/* Returns whether two entries agree on the first `prefix` bytes of their keys. */
static bool agree(const struct entry *x, const struct entry *y, size_t prefix)
{
	size_t n = x->key_n < prefix ? x->key_n : prefix;

	return n == (y->key_n < prefix ? y->key_n : prefix) && (n == 0 || x->key == y->key);
}

/* Returns whether all ranges have the expected entries, and cut no prefix. */
static bool same(struct sh_runs *r, const struct entry *e, size_t n, size_t prefix)
{
	struct expected want = { e, e + n, false };
	struct sh_error err;

	must(sh_runs_close(r, prefix, 3, &err) == 0);
	for (size_t i = 0; i < r->ranges; i++) {
		const struct entry *first = want.next;

		must(sh_runs_merge(r, i, compare, &want, &err) == 0);
		if (i && (first == want.next || agree(first - 1, first, prefix)))
			want.wrong = true;
	}
	return !want.wrong && want.next == want.end;
}

/* Returns the number of ranges; 0 when they do not have the entries. */
static size_t merged(unsigned runs, enum size size, size_t prefix)
{
	static struct entry all[ENTRIES_MAX];
	struct sh_runs r;
	size_t n = 0, ranges;

	sh_runs_init(&r, NULL);
	for (unsigned run = 0; run < runs; run++) {
		size_t most = size == HUGE_ENTRIES ? 20 : ENTRIES_MAX / runs;
		size_t more = size == MANY_BLOCKS ? most : rng_below((unsigned)most);

		for (size_t i = 0; i < more; i++)
			all[n + i] = draw(run, size);
		write_run(&r, all + n, more);
		n += more;
	}
	qsort(all, n, sizeof *all, in_order);
	ranges = same(&r, all, n, prefix) ? r.ranges : 0;
	sh_runs_free(&r);
	return ranges;
}

enum { BLOCK = 32768, HEAD = 8 };

/* An entry ends `left` bytes before a block is full; other entries follow. */
static bool at_a_seam(unsigned left)
{
	struct entry e[3] = { { .key_n = 1, .key = 'a', .value = 'A' },
		{ .key_n = 2, .value_n = 3, .key = 'b', .value = 'B' },
		{ .key_n = 3, .value_n = 2, .key = 'c', .value = 'C' } };
	struct sh_runs r;
	bool good;

	e[0].value_n = BLOCK - HEAD - e[0].key_n - left;
	sh_runs_init(&r, NULL);
	write_run(&r, e, 3);
	good = same(&r, e, 3, SIZE_MAX);
	sh_runs_free(&r);
	return good;
}

static void damaged(const char *length, const char *what)
{
	struct entry e = { .key_n = 1, .value_n = 10, .key = 'a', .value = 'A' };
	struct expected want = { &e, &e + 1, false };
	struct sh_error err;
	struct sh_runs r;

	sh_runs_init(&r, NULL);
	write_run(&r, &e, 1);
	must(sh_runs_close(&r, SIZE_MAX, 1, &err) == 0);
	must(pwrite(r.fd, length, 1, 4) == 1);
	ok(sh_runs_merge(&r, 0, compare, &want, &err) < 0 && err.code == SH_ERR_IO, "%s: %s", what,
	    err.text);
	sh_runs_free(&r);
}

/* A changed file is an error, for any content. */
static void test_damage(void)
{
	struct sh_run_writer w;
	struct sh_error err;
	struct sh_runs r;

	damaged("\x0b", "an entry longer than its block");
	damaged("\x06", "too few bytes behind an entry");
	sh_runs_init(&r, NULL);
	sh_run_begin(&w, &r);
	if (SIZE_MAX > UINT32_MAX)
		ok(sh_run_add(&w, filled(0, 'a', 1), sh_slice("", (size_t)UINT32_MAX + 1), &err) <
			    0 &&
			err.code == SH_ERR_RANGE,
		    "an entry that is too long is refused: %s", err.text);
	sh_run_free(&w);
	sh_runs_free(&r);
}

int main(void)
{
	static const unsigned runs[] = { 0, 1, 2, 3, 63, 127, 128, 129, 256, 257, 300 };
	size_t ranges;

	rng_init(20261122);
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		ok(merged(runs[i], SMALL, SIZE_MAX) == 1, "%u runs are merged", runs[i]);
	for (unsigned i = 1; i <= 5; i++)
		ok(merged(i, HUGE_ENTRIES, SIZE_MAX),
		    "%u runs with entries of up to %d bytes are merged", i, LONGEST);
	for (unsigned i = 1; i <= 40; i += 3) {
		ranges = merged(i, MANY_BLOCKS, SIZE_MAX);
		ok(ranges > 2, "%u runs are merged in %zu ranges", i, ranges);
		ranges = merged(i, MANY_BLOCKS, 2);
		ok(ranges > 2 && ranges < 8,
		    "%u runs are merged in %zu ranges that divide no prefix", i, ranges);
	}
	for (unsigned left = 0; left <= HEAD + 2; left++)
		ok(at_a_seam(left), "an entry that ends %u bytes before a block is full is read",
		    left);
	test_damage();
	return done_testing();
}
