/* SPDX-License-Identifier: MIT */
/* lib/group/idset.h: ids are numbered in bytewise order. */
#include <stdio.h>
#include <stdlib.h>

#include "group/idset.h"
#include "rng.h"
#include "tap.h"

enum { MOST = 30000, THREADS = 5 };

static struct sh_error err;
static char text[MOST][40];
static struct sh_slice id[MOST];
static uint32_t handle[MOST];

/* Makes ids of any bytes, some with a long common beginning, some equal. */
static void draw(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t length = 1 + rng_below(4);

		switch (rng_below(3)) {
		case 0:
			length =
			    (size_t)sprintf(text[i], "%llu", (unsigned long long)rng_below(MOST));
			break;
		case 1:
			length = (size_t)sprintf(text[i], "http://example.org/page/%llu",
			    (unsigned long long)rng_below(MOST));
			break;
		default:
			for (size_t k = 0; k < length; k++)
				text[i][k] = (char)rng_below(256);
		}
		id[i] = sh_slice(text[i], length);
	}
}

static int by_bytes(const void *a, const void *b)
{
	return sh_slice_cmp(*(const struct sh_slice *)a, *(const struct sh_slice *)b);
}

static void add_all(struct sh_idset *set, size_t n)
{
	for (size_t i = 0, some; i < n; i += some) {
		some = n - i < SH_HMAP_MANY ? n - i : SH_HMAP_MANY;
		must(sh_hmap_put_many(&set->ids, id + i, some, handle + i, &err) == 0);
	}
}

/* Returns the number of wrong numbers among n random ids. */
static size_t wrong_numbers(size_t n)
{
	struct sh_slice *sorted = malloc(n * sizeof *sorted + 1);
	unsigned threads = 1 + (unsigned)rng_below(THREADS);
	struct sh_idset set = { 0 };
	size_t wrong = 0, distinct = 0;
	uint32_t number;

	draw(n);
	must(sorted && sh_hmap_init(&set.ids, &err) == 0);
	add_all(&set, n);
	must(sh_idset_sort(&set, threads, &err) == 0);
	memcpy(sorted, id, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_bytes);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || !sh_slice_eq(sorted[i], sorted[i - 1]))
			sorted[distinct++] = sorted[i];
	wrong += distinct != set.n;
	for (uint32_t i = 0; wrong == 0 && i < set.n; i++)
		wrong += !sh_slice_eq(sh_idset_id(&set, i), sorted[i]) ||
			 !sh_idset_find(&set, sorted[i], &number) || number != i;
	for (size_t i = 0; wrong == 0 && i < n; i++)
		wrong += handle[i] >= set.n ||
			 !sh_slice_eq(sh_idset_id(&set, set.number[handle[i]]), id[i]);
	wrong += sh_idset_find(&set, sh_slice_str("no such id"), &number);
	sh_idset_free(&set);
	free(sorted);
	return wrong;
}

int main(void)
{
	size_t wrong = 0;
	unsigned rounds;

	rng_init(0x1D5E7);
	rounds = rng_rounds(40);
	ok(wrong_numbers(0) == 0, "a set without ids is empty");
	for (unsigned i = 0; i < rounds; i++)
		wrong += wrong_numbers(1 + rng_below(rng_below(2) ? 50 : MOST));
	ok(wrong == 0, "numbers are places in bytewise order, and handles give their ids, %u times",
	    rounds);
	return done_testing();
}
