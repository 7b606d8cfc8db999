/* SPDX-License-Identifier: MIT */
/* The sorter gives all records in bytewise order, in memory and from a file: of one size and of
 * their own sizes, longer than any block, with equal keys, in ranges that divide no prefix. A file
 * that cannot be written, or that was changed, is an error. */
#include "io/sorter.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rng.h"
#include "tap.h"

enum { LONGEST = 100000, MANY = 80000 };

static const struct sh_slice none;

struct record {
	char *p;
	size_t n, tail;
};

/* Compares records as the sorter does; records that agree, by their tails. */
static int in_order(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	int c = sh_slice_cmp(sh_slice(x->p, x->n - x->tail), sh_slice(y->p, y->n - y->tail));

	return c ? c : sh_slice_cmp(sh_slice(x->p, x->n), sh_slice(y->p, y->n));
}

enum bytes { FEW_LETTERS, ALL_BYTES, LONG_PREFIX };

/* Makes a record of n bytes whose compared bytes are of a kind. */
static struct record draw(size_t n, size_t tail, enum bytes bytes)
{
	struct record r = { malloc(n + 1), n, tail };
	size_t same = bytes == LONG_PREFIX ? rng_below(n + 1) : 0;

	must(r.p != NULL);
	for (size_t i = 0; i < n; i++)
		r.p[i] = bytes == ALL_BYTES || i + tail >= n ? (char)rng_below(256)
			 : i < same                          ? 'a'
							     : (char)rng_below(3);
	return r;
}

/* Returns the bytes of a random record of its own size. */
static size_t draw_size(size_t least, bool long_ones)
{
	return least + (long_ones && rng_below(50) == 0 ? rng_below(LONGEST) : rng_below(30));
}

static bool agree(const struct record *x, const struct record *y, size_t prefix)
{
	size_t n = x->n - x->tail, m = y->n - y->tail;

	n = n < prefix ? n : prefix;
	return n == (m < prefix ? m : prefix) && memcmp(x->p, y->p, n) == 0;
}

/* Returns whether the range has the expected records from e on, some of `left`, in any order of
 * tails. Sets *n to their number. */
static bool range_is(const struct sh_sorter *s, size_t range, struct sh_sorted *sorted,
    const struct record *e, size_t left, size_t *n)
{
	struct record *got = malloc((left + 1) * sizeof *got);
	struct sh_slice record;
	struct sh_error err;
	bool good = true;

	must(got && sh_sorter_load(s, range, sorted, &err) == 0);
	for (*n = 0; sh_sorted_next(sorted, &record); ++*n) {
		struct record r = { (char *)(uintptr_t)record.p, record.n, s->tail };

		good = good && *n < left && (!s->size || record.n == s->size) &&
		       (!*n || sh_slice_cmp(sh_slice(got[*n - 1].p, got[*n - 1].n - s->tail),
				   sh_slice(r.p, r.n - s->tail)) <= 0);
		if (!good)
			break;
		got[*n] = r;
	}
	if (good && *n) {
		qsort(got, *n, sizeof *got, in_order);
		for (size_t i = 0; i < *n; i++)
			good = good && in_order(&got[i], &e[i]) == 0;
	}
	free(got);
	return good && *n == sorted->n;
}

struct shape {
	size_t size, tail, n, memory, prefix;
	unsigned threads;
	enum bytes bytes;
	bool long_ones;
};

/* Returns the number of ranges; 0 when they are not as expected. */
static size_t sorts(const struct shape *how)
{
	struct sh_sorter s = {
		.size = how->size, .tail = how->tail, .memory = how->memory, .threads = how->threads
	};
	struct record *all = malloc((how->n + 1) * sizeof *all);
	struct sh_sorted sorted = { 0 };
	struct sh_error err;
	size_t at = 0, ranges, n, some = rng_below(how->n + 1), again = rng_below(2 * how->n + 1);
	size_t may, block = how->size && how->n ? rng_below(how->n) / 4 : 0;
	bool good = true;
	char *room;

	must(all != NULL);
	sh_sorter_init(&s);
	room = block ? sh_sorter_append(&s, block, &err) : NULL;
	must(room || !block);
	for (size_t i = 0; i < how->n; i++) {
		size_t size = how->size ? how->size : draw_size(how->tail, how->long_ones);

		all[i] = draw(size, how->tail, how->bytes);
		if (i < block)
			memcpy(room + i * size, all[i].p, size);
		else if (rng_below(2))
			must(sh_sorter_add(&s, sh_slice(all[i].p, size), none, &err) == 0);
		else
			must(sh_sorter_add(&s, sh_slice(all[i].p, size - how->tail),
				 sh_slice(all[i].p + size - how->tail, how->tail), &err) == 0);
		if (i == again && i >= block)
			must(sh_sorter_finish(&s, how->prefix, &err) == 0);
	}
	qsort(all, how->n, sizeof *all, in_order);
	must(sh_sorter_finish(&s, how->prefix, &err) == 0);
	ranges = s.ranges;
	may = some < how->n ? sh_sorter_range_of(&s, sh_slice(all[some].p, all[some].n - how->tail))
			    : 0;
	for (size_t i = 0; i < ranges && good; i++) {
		good = range_is(&s, i, &sorted, all + at, how->n - at, &n) &&
		       !(at && n && agree(&all[at - 1], &all[at], how->prefix));
		if (good && rng_below(4) == 0)
			good = range_is(&s, i, &sorted, all + at, how->n - at, &n);
		good = good && (at > some || some >= at + n || may == i || may + 1 == i);
		at += n;
	}
	good = good && at == how->n;
	for (size_t i = 0; i < how->n; i++)
		free(all[i].p);
	free(all);
	sh_sorted_free(&sorted);
	sh_sorter_free(&s);
	return good ? ranges : 0;
}

static void test_random(void)
{
	unsigned rounds = rng_rounds(300), bad = 0, spilled = 0;

	for (unsigned i = 0; i < rounds; i++) {
		struct shape how = { .size = rng_below(2) ? 1 + rng_below(20) : 0,
			.n = rng_below(rng_below(3) ? 9000 : 40),
			.memory = rng_below(3) ? 0 : rng_below(200000),
			.prefix = rng_below(2) ? SIZE_MAX : 1 + rng_below(6),
			.threads = 1 + (unsigned)rng_below(4),
			.bytes = (enum bytes)rng_below(3),
			.long_ones = rng_below(8) == 0 };
		size_t ranges;

		how.tail = how.size ? rng_below(how.size) : rng_below(10);
		ranges = sorts(&how);
		spilled += ranges > 1;
		if (!ranges && !bad++)
			printf("# size %zu, tail %zu, n %zu, memory %zu, prefix %zu, threads %u, "
			       "bytes %d, %d\n",
			    how.size, how.tail, how.n, how.memory, how.prefix, how.threads,
			    (int)how.bytes, how.long_ones);
	}
	ok(!bad, "%u random sets of records are sorted", rounds);
	ok(spilled > rounds / 10, "%u of them in several ranges", spilled);
}

/* Threads divide large sets before they sort; few runs and many have many ranges. */
static void test_large(void)
{
	struct shape how = { .n = MANY, .prefix = SIZE_MAX, .memory = SIZE_MAX };
	size_t ranges;

	for (how.threads = 1; how.threads <= 3; how.threads++)
		for (how.bytes = FEW_LETTERS; how.bytes <= LONG_PREFIX; how.bytes++) {
			how.size = 0;
			ok(sorts(&how) > 4, "%zu records of all sizes by %u threads", how.n,
			    how.threads);
			how.size = 10;
			ok(sorts(&how) > 4, "%zu records of 10 bytes by %u threads", how.n,
			    how.threads);
		}
	how.size = 10;
	how.bytes = ALL_BYTES;
	how.memory = 0;
	ranges = sorts(&how);
	ok(ranges > 2, "13 runs of 64 KiB: %zu ranges", ranges);
	how.memory = 1 << 17;
	ranges = sorts(&how);
	ok(ranges > 20, "7 runs of 128 KiB: %zu ranges", ranges);
	how.bytes = FEW_LETTERS;
	how.prefix = 2;
	ranges = sorts(&how);
	ok(ranges > 2 && ranges <= 10, "%zu ranges when 9 prefixes must not be divided", ranges);
	how.size = 0;
	how.tail = 8;
	how.prefix = SIZE_MAX;
	ok(sorts(&how) > 20, "runs of records of all sizes with values");
}

static void fill(struct sh_sorter *s, size_t n, int *status, struct sh_error *err)
{
	*status = 0;
	for (size_t i = 0; i < n && *status == 0; i++)
		*status = sh_sorter_add(s, sh_slice_str("0123456789"), none, err);
}

static void test_faults(void)
{
	struct rlimit before, limit = { 20000, RLIM_INFINITY };
	struct sh_sorter s = { .memory = 1, .threads = 1, .dir = "/nonexistent" };
	struct sh_sorted sorted = { 0 };
	struct sh_error err;
	int status;

	sh_sorter_init(&s);
	fill(&s, 5000, &status, &err);
	ok(status < 0 && strstr(err.text, "/nonexistent"), "a folder that is missing: %s",
	    err.text);
	sh_sorter_free(&s);

	s.dir = NULL;
	sh_sorter_init(&s);
	signal(SIGXFSZ, SIG_IGN);
	must(getrlimit(RLIMIT_FSIZE, &before) == 0);
	must(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	fill(&s, 5000, &status, &err);
	ok(status < 0 && err.code == SH_ERR_IO, "a file that cannot be written: %s", err.text);
	sh_sorter_free(&s);
	must(setrlimit(RLIMIT_FSIZE, &before) == 0);

	sh_sorter_init(&s);
	fill(&s, 5000, &status, &err);
	must(status == 0 && s.fd >= 0);
	must(sh_sorter_finish(&s, SIZE_MAX, &err) == 0);
	must(pwrite(s.fd, "\x0b", 1, 0) == 1);
	ok(sh_sorter_load(&s, s.ranges - 1, &sorted, &err) < 0 && err.code == SH_ERR_IO,
	    "a changed size of a record: %s", err.text);
	must(pwrite(s.fd, "\xff\xff\xff\xff", 4, 0) == 4);
	ok(sh_sorter_load(&s, s.ranges - 1, &sorted, &err) < 0 && err.code == SH_ERR_IO,
	    "a record longer than its block: %s", err.text);
	must(ftruncate(s.fd, 100) == 0);
	ok(sh_sorter_load(&s, s.ranges - 1, &sorted, &err) < 0 && err.code == SH_ERR_IO,
	    "a file cut short: %s", err.text);
	if (SIZE_MAX > UINT32_MAX)
		ok(sh_sorter_add(&s, sh_slice("", (size_t)UINT32_MAX + 1), none, &err) < 0 &&
			err.code == SH_ERR_RANGE,
		    "a record that is too long is refused: %s", err.text);
	sh_sorted_free(&sorted);
	sh_sorter_free(&s);
}

int main(void)
{
	rng_init(20261128);
	test_random();
	test_large();
	test_faults();
	return done_testing();
}
