/* SPDX-License-Identifier: MIT */
/* Compares elements selected by several threads with elements selected one after the other. */
#include "io/parallel.h"

#include <stdbool.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

enum { MOST = 100000, THREADS = 5 };

static unsigned char chosen[MOST];
static unsigned visits[MOST];
static uint32_t result[MOST + 1], want[MOST];

/* An element of 2 has two results. */
static size_t select_chosen(void *arg, size_t from, size_t to, size_t at)
{
	size_t n = 0;

	(void)arg;
	for (size_t i = from; i < to; i++)
		for (unsigned k = 0; k < chosen[i]; k++, n++)
			if (at != SH_COUNT_ONLY)
				result[at + n] = (uint32_t)i;
	return n;
}

static size_t select_alone(size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < chosen[i]; k++)
			want[found++] = (uint32_t)i;
	return found;
}

static void draw(size_t n, unsigned one_in)
{
	for (size_t i = 0; i < n; i++)
		chosen[i] = rng_below(one_in) ? 0 : i % 64 ? 1 : 2;
}

static bool selects(unsigned threads, size_t n)
{
	struct sh_selection s = { .threads = threads, .n = n, .fn = select_chosen };
	size_t found = select_alone(n);
	struct sh_error err;

	must(found <= MOST);
	must(sh_selection_count(&s, &err) == 0);
	result[found] = UINT32_MAX;
	if (s.found != found || sh_selection_fill(&s, &err) < 0)
		return false;
	return !s.at && result[found] == UINT32_MAX &&
	       memcmp(result, want, found * sizeof *want) == 0;
}

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
	static const unsigned rare[] = { 2, 10, 100000 };

	rng_init(0x5e1ec7);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		bool good = true, all = true;

		for (unsigned threads = 1; threads <= THREADS; threads++) {
			for (size_t k = 0; k < sizeof rare / sizeof *rare; k++) {
				draw(sizes[i], rare[k]);
				good = good && selects(threads, sizes[i]);
			}
			all = all && visits_all(threads, sizes[i]);
		}
		ok(good, "any number of threads selects the same of %zu elements", sizes[i]);
		ok(all, "each element is visited once");
	}
	return done_testing();
}
