/* SPDX-License-Identifier: MIT */
/* Compares edit distances of any two sequences with the distances of the full matrix, for all
 * limits. Sequences have few or many different tokens, and a few tokens or several blocks of 64. */
#include "fuzz.h"

#include "fp/bag.h"
#include "match/align.h"

const unsigned fuzz_random = 300;

enum { LONGEST = 1500 };

/* Returns the least of three numbers. */
static size_t least(size_t a, size_t b, size_t c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

static size_t slow(const uint64_t *x, size_t n, const uint64_t *y, size_t m)
{
	static size_t cost[LONGEST + 1];

	for (size_t j = 0; j <= m; j++)
		cost[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = cost[0];

		cost[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t above = cost[j];

			cost[j] =
			    least(above + 1, cost[j - 1] + 1, diagonal + (x[i - 1] != y[j - 1]));
			diagonal = above;
		}
	}
	return cost[m];
}

struct text {
	uint64_t token[LONGEST];
	size_t n;
};

static void write_text(struct text *t, size_t longest, uint64_t alphabet)
{
	t->n = rng_below(longest + 1);
	for (size_t i = 0; i < t->n; i++)
		t->token[i] = rng_below(alphabet) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Makes a copy with some tokens inserted, deleted and replaced. */
static void edit_text(struct text *to, const struct text *from, size_t longest, uint64_t alphabet)
{
	uint64_t one_in = 1 + rng_below(60);

	to->n = 0;
	for (size_t i = 0; i < from->n && to->n + 2 < longest; i++) {
		size_t what = rng_below(one_in) ? 0 : 1 + rng_below(3);

		if (what == 1)
			continue;
		if (what >= 2)
			to->token[to->n++] = rng_below(alphabet) * UINT64_C(0x9E3779B97F4A7C15);
		if (what != 2)
			to->token[to->n++] = from->token[i];
	}
}

static size_t bag_distance(const struct text *x, const struct text *y)
{
	struct sh_bag a, b;

	sh_bag_fill(&a, x->token, x->n);
	sh_bag_fill(&b, y->token, y->n);
	return sh_bag_distance(&a, &b);
}

static void limits(struct sh_aligner *a, const struct text *x, const struct text *y)
{
	size_t want = slow(x->token, x->n, y->token, y->n), got;
	size_t limit[] = { 0, want / 2, want - (want > 0), want, want + 1, want + rng_below(30),
		2 * want, x->n + y->n, rng_below(LONGEST) };
	struct sh_error err;

	check(bag_distance(x, y) <= want);
	for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
		check(sh_align(a, (struct sh_sequence){ x->token, x->n },
			  (struct sh_sequence){ y->token, y->n }, limit[i], &got, &err) == 0);
		check(got == (want <= limit[i] ? want : limit[i] + 1));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct text x, y;
	static struct sh_aligner *a;
	struct sh_error err;
	uint64_t alphabet;
	size_t longest;

	fuzz_begin(data, size);
	if (!a)
		a = sh_aligner_new(&err);
	check(a != NULL);
	alphabet = 1 + rng_below(rng_below(2) ? 8 : 5000);
	longest = 1 + rng_below(rng_below(4) ? 200 : LONGEST);
	write_text(&x, longest, alphabet);
	if (rng_below(2))
		edit_text(&y, &x, longest, alphabet);
	else
		write_text(&y, longest, alphabet);
	limits(a, &x, &y);
	limits(a, &y, &x);
	return 0;
}
