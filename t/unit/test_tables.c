/* SPDX-License-Identifier: MIT */
/* Compares arrays in memory and in files with plain arrays, and tests mapped files. */
#include "io/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/mapped.h"
#include "rng.h"
#include "scratch.h"
#include "tap.h"

enum { ARRAYS = 8, STEPS = 3000 };

/* In place of the system's, of which the next ones are interrupted. */
static unsigned interruptions;

int posix_fallocate(int fd, off_t offset, off_t n)
{
	if (interruptions) {
		interruptions--;
		return EINTR;
	}
	return ftruncate(fd, offset + n) < 0 ? errno : 0;
}

struct array {
	uint32_t *p, *plain;
	size_t n, cap;
};

static bool same(const struct array *a)
{
	return a->n == 0 || memcmp(a->p, a->plain, a->n * sizeof *a->p) == 0;
}

/* Arrays grow, are freed and begin anew: their content is the content written. */
static void random_steps(size_t memory)
{
	struct array a[ARRAYS] = { { 0 } };
	struct sh_tables tables;
	struct sh_error err;
	unsigned wrong = 0, files = 0, over = 0;

	sh_tables_init(&tables, memory, NULL);
	for (unsigned step = 0; step < STEPS; step++) {
		struct array *x = &a[rng_below(ARRAYS)];
		size_t more = rng_below(300);

		if (rng_below(40) == 0) {
			sh_tables_put(&tables, x->p);
			free(x->plain);
			*x = (struct array){ 0 };
			continue;
		}
		if (x->n + more > x->cap && sh_tables_grow(&tables, (void **)&x->p, &x->cap,
						x->n + more, sizeof *x->p, &err) < 0)
			wrong++;
		x->plain = realloc(x->plain, (x->n + more + 1) * sizeof *x->plain);
		for (; more; more--)
			x->p[x->n] = x->plain[x->n] = (uint32_t)rng_any(), x->n++;
		wrong += !same(x);
		over += tables.used > memory;
		for (size_t i = 0; i < tables.n; i++)
			files += tables.table[i].fd >= 0;
	}
	for (unsigned i = 0; i < ARRAYS; i++) {
		wrong += !same(&a[i]);
		free(a[i].plain);
	}
	ok(!wrong && !over, "%zu bytes of memory: arrays have the content that was written",
	    memory);
	ok(!files == (memory > 1 << 24), "%zu bytes of memory: %s files", memory,
	    memory > 1 << 24 ? "no" : "some in");
	sh_tables_free(&tables);
}

static void test_zeroed(size_t memory)
{
	struct sh_tables tables;
	struct sh_error err;
	unsigned wrong = 0;

	sh_tables_init(&tables, memory, NULL);
	for (unsigned turn = 0; turn < 10; turn++) {
		unsigned char *p = sh_tables_get_zeroed(&tables, 10000, 1, &err);

		for (size_t i = 0; p && i < 10000; i++)
			wrong += p[i] != 0;
		wrong += !p;
		if (p)
			memset(p, 0xFF, 10000);
		sh_tables_put(&tables, p);
	}
	ok(!wrong && tables.used == 0 && tables.n == 0,
	    "%zu bytes of memory: a new array has zeros", memory);
	sh_tables_free(&tables);
}

/* Arrays use all available memory, to the last byte. */
static void test_memory(void)
{
	struct sh_tables tables;
	struct sh_error err;
	unsigned moves = 0;
	char *p = NULL, *q;
	size_t cap = 0;

	sh_tables_init(&tables, 1000, NULL);
	must((q = sh_tables_get(&tables, 100, 1, &err)) != NULL);
	for (size_t want = 400; want <= 900; want += 500)
		must(sh_tables_grow(&tables, (void **)&p, &cap, want, 1, &err) == 0);
	ok(cap == 900 && tables.table[1].fd < 0 && tables.used == 1000,
	    "arrays of 900 and 100 bytes fill %zu bytes of memory", tables.used);
	sh_tables_put(&tables, p);
	sh_tables_put(&tables, q);
	p = NULL;
	for (size_t n = cap = 0; n < 100000; n++)
		if (n == cap) {
			moves++;
			must(sh_tables_grow(&tables, (void **)&p, &cap, n + 1, 1, &err) == 0);
		}
	ok(moves < 30, "an array grows %u times to 100000 elements", moves);
	sh_tables_free(&tables);
}

static void test_errors(void)
{
	struct sh_tables tables;
	struct sh_error err;
	void *array;
	size_t cap;
	char *p;

	sh_tables_init(&tables, 100, "/nowhere");
	p = sh_tables_get(&tables, 90, 1, &err);
	ok(p != NULL, "an array that fits needs no folder");
	ok(sh_tables_get(&tables, 90, 1, &err) == NULL && strstr(err.text, "/nowhere"),
	    "an array that does not fit is an error of the folder: %s", err.text);
	ok(sh_tables_get(&tables, SIZE_MAX / 2, 8, &err) == NULL && err.code == SH_ERR_NOMEM,
	    "an impossible size is refused");
	array = NULL;
	cap = 0;
	ok(sh_tables_grow(&tables, &array, &cap, 90, 1, &err) < 0 && !array && cap == 0,
	    "an array that does not fit cannot begin in a missing folder");
	sh_tables_put(&tables, p);
	ok(tables.used == 0 && tables.n == 0, "all memory is freed");
	sh_tables_free(&tables);
	p = sh_tables_get_zeroed(NULL, 10, 8, &err);
	ok(p && p[79] == 0, "an array without tables is in memory");
	sh_tables_put(NULL, p);
	interruptions = 3;
	sh_tables_init(&tables, 0, NULL);
	p = sh_tables_get_zeroed(&tables, 10, 8, &err);
	ok(p && p[79] == 0 && !interruptions,
	    "an interrupted call is repeated, and not reported as a full disk");
	sh_tables_free(&tables);
}

/* Sizes above 32 bits work completely, or are an error. */
static void test_large_file(void)
{
	const uint64_t size = (UINT64_C(1) << 32) + 3;
	char path[SCRATCH_MAX];
	struct sh_mapped m;
	struct sh_error err;
	int fd;

	scratch(path, "large");
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0);
	if (ftruncate(fd, (off_t)size) < 0)
		ok(1, "# SKIP no files with holes here");
	else if (sh_mapped_open(&m, path, &err) < 0)
		ok(strstr(err.text, "cannot map") != NULL,
		    "an array of 4 GiB and a few bytes works: %s", err.text);
	else
		ok(m.n == size && m.p[m.n - 1] == 0 && sh_mapped_check(&m, &err) == 0,
		    "4 GiB and a few bytes are mapped");
	sh_mapped_close(&m);
	close(fd);
	unlink(path);
}

int main(void)
{
	rng_init(0x7AB1E5);
	random_steps(0);
	random_steps(10000);
	random_steps(1 << 28);
	test_zeroed(0);
	test_zeroed(1 << 20);
	test_memory();
	test_errors();
	test_large_file();
	return done_testing();
}
