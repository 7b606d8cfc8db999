/* SPDX-License-Identifier: MIT */
/* Several threads visit each element once. */
#include "io/parallel.h"

#include <stdbool.h>
#include <string.h>

#include "tap.h"

enum { MOST = 100000, THREADS = 5 };

static unsigned visits[MOST];

static void visit(void *arg, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		visits[i] += *(const unsigned *)arg;
}

static bool visits_all(unsigned threads, size_t n)
{
	unsigned times = threads;
	struct sh_error err;

	memset(visits, 0, sizeof visits);
	must(sh_parallel_each(threads, n, visit, &times, &err) == 0);
	for (size_t i = 0; i < MOST; i++)
		if (visits[i] != (i < n ? times : 0))
			return false;
	return true;
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 16383, 16384, 16385, 32768, 50000, 90000 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		bool all = true;

		for (unsigned threads = 1; threads <= THREADS; threads++)
			all = all && visits_all(threads, sizes[i]);
		ok(all, "each of %zu elements is visited once", sizes[i]);
	}
	return done_testing();
}
