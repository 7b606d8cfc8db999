/* Compares pairs sorted by several threads with qsort(). */
#include "join/pairsort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

enum { MOST = 300000 };

static uint64_t want[MOST];

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t sort_want(size_t n)
{
	size_t kept = 0;

	qsort(want, n, sizeof *want, ascending);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || want[i] != want[i - 1])
			want[kept++] = want[i];
	return kept;
}

/* Makes n pairs of `values` documents. in_order: the pairs are sorted and distinct. */
static bool sorts(size_t n, uint64_t values, unsigned threads, bool in_order)
{
	struct sh_pairs p = { .pair = malloc((n + 3) * sizeof *p.pair), .n = n, .cap = n + 3 };
	struct sh_error err;
	size_t kept;
	bool good;

	must(p.pair != NULL);
	for (size_t i = 0; i < n; i++)
		want[i] = rng_below(values) << 32 | rng_below(values);
	if (in_order)
		p.n = sort_want(n);
	if (n)
		memcpy(p.pair, want, n * sizeof *want);
	kept = in_order ? p.n : sort_want(n);
	must(sh_pairs_sort(&p, threads, NULL, &err) == 0);
	good = p.n == kept && p.cap == n + 3 &&
	       (kept == 0 || memcmp(p.pair, want, kept * sizeof *want) == 0);
	free(p.pair);
	return good;
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 2, 65, 1000, 65536, 65537, MOST };
	static const uint64_t values[] = { 1, 2, 30, 70000, UINT32_MAX };

	rng_init(0x9a125);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		bool good = true, kept = true;

		for (size_t k = 0; k < sizeof values / sizeof *values; k++)
			for (unsigned threads = 1; threads <= 4; threads++) {
				good = good && sorts(sizes[i], values[k], threads, false);
				kept = kept && sorts(sizes[i], values[k], threads, true);
			}
		ok(good, "%zu pairs are sorted, with any number of threads", sizes[i]);
		ok(kept, "sorted pairs stay sorted");
	}
	return done_testing();
}
