/* SPDX-License-Identifier: MIT */
/* Several threads process each task once, and the failure of the lowest tasks is reported. */
#include "io/parallel.h"

#include <stdbool.h>
#include <string.h>

#include "tap.h"

enum { MOST = 100000, THREADS = 5 };

static unsigned visits[MOST];

static int visit(void *grain, size_t from, size_t to, struct sh_error *err)
{
	if (to - from > *(const size_t *)grain)
		return sh_error_set(err, SH_ERR_RANGE, "more tasks than the grain");
	for (size_t i = from; i < to; i++)
		visits[i]++;
	return 0;
}

static bool visits_all(unsigned threads, size_t n, size_t grain)
{
	struct sh_error err;

	memset(visits, 0, sizeof visits);
	must(sh_parallel(&grain, 0, threads, n, grain, visit, &err) == 0);
	for (size_t i = 0; i < MOST; i++)
		if (visits[i] != (i < n))
			return false;
	return true;
}

/* Fails at each task from *first on. */
static int fail(void *first, size_t from, size_t to, struct sh_error *err)
{
	(void)to;
	return from < *(const size_t *)first ? 0
					     : sh_error_set(err, SH_ERR_RECORD, "task %zu", from);
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 16383, 16384, 16385, 32768, 50000, 90000 };
	size_t first = 700;
	bool lowest = true;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		bool all = true;

		for (unsigned threads = 1; threads <= THREADS; threads++)
			all = all && visits_all(threads, sizes[i], 1 << 14) &&
			      visits_all(threads, sizes[i], 7);
		ok(all, "each of %zu tasks is processed once", sizes[i]);
	}
	for (unsigned threads = 1; threads <= THREADS; threads++) {
		struct sh_error err;

		lowest = lowest && sh_parallel(&first, 0, threads, MOST, 1, fail, &err) < 0 &&
			 err.code == SH_ERR_RECORD && strcmp(err.text, "task 700") == 0;
	}
	ok(lowest, "the error is that of the lowest task that fails");
	return done_testing();
}
