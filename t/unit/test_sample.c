/* SPDX-License-Identifier: MIT */
/* Compares the sample of pairs with its definition: the pairs with the least keys of each level,
 * for any order of pairs, sorted by similarity. */
#include "match/sample.h"

#include <stdbool.h>
#include <stdlib.h>

#include "rng.h"
#include "tap.h"

enum { PAIRS = 120 };

struct pair {
	uint32_t a, b;
	unsigned measure, similarity;
};

static void shuffle(struct pair *p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		size_t k = rng_below(i + 1);
		struct pair t = p[i];

		p[i] = p[k];
		p[k] = t;
	}
}

static struct sh_sample sample_of(const struct pair *p, size_t n, uint64_t seed, size_t per_level)
{
	struct sh_sample s;
	struct sh_error err;

	if (sh_sample_init(&s, seed, per_level, &err) < 0)
		exit(99);
	for (size_t i = 0; i < n; i++)
		sh_sample_add(&s, p[i].a, p[i].b, p[i].measure, p[i].similarity);
	sh_sample_sort(&s);
	return s;
}

static bool same(const struct sh_sample *x, const struct sh_sample *y)
{
	for (unsigned d = 0; d < SH_SAMPLE_LEVELS; d++) {
		const struct sh_sampled *p = x->pair + d * x->per_level;
		const struct sh_sampled *q = y->pair + d * y->per_level;

		if (x->n[d] != y->n[d])
			return false;
		for (size_t i = 0; i < x->n[d]; i++)
			if (p[i].key != q[i].key || p[i].a != q[i].a || p[i].b != q[i].b ||
			    p[i].similarity != q[i].similarity || p[i].measure != q[i].measure)
				return false;
	}
	return true;
}

static bool in_order(const struct sh_sample *s)
{
	for (unsigned d = 0; d < SH_SAMPLE_LEVELS; d++) {
		const struct sh_sampled *p = s->pair + d * s->per_level;

		for (size_t i = 1; i < s->n[d]; i++)
			if (p[i - 1].similarity < p[i].similarity ||
			    (p[i - 1].similarity == p[i].similarity &&
				(p[i - 1].a > p[i].a ||
				    (p[i - 1].a == p[i].a && p[i - 1].b >= p[i].b))))
				return false;
	}
	return true;
}

/* Returns whether `few` has the elements of `all` with the least keys. */
static bool least(const struct sh_sample *few, const struct sh_sample *all)
{
	for (unsigned d = 0; d < SH_SAMPLE_LEVELS; d++) {
		const struct sh_sampled *kept = few->pair + d * few->per_level;
		const struct sh_sampled *p = all->pair + d * all->per_level;
		uint64_t most = 0;
		size_t below = 0;

		for (size_t i = 0; i < few->n[d]; i++)
			most = kept[i].key > most ? kept[i].key : most;
		for (size_t i = 0; i < all->n[d]; i++)
			below += p[i].key <= most;
		if (few->n[d] != (all->n[d] < few->per_level ? all->n[d] : few->per_level) ||
		    below != few->n[d])
			return false;
	}
	return true;
}

static void random_case(int *wrong)
{
	struct pair p[PAIRS];
	size_t n = rng_below(PAIRS), per_level = rng_below(9);
	uint64_t seed = rng_below(3);
	struct sh_sample all, few, again;

	for (size_t i = 0; i < n; i++)
		p[i] = (struct pair){ (uint32_t)rng_below(6), (uint32_t)(10 + i),
			(unsigned)rng_below(65), 8400 + 200 * (unsigned)rng_below(9) };
	few = sample_of(p, n, seed, per_level);
	all = sample_of(p, n, seed, PAIRS);
	shuffle(p, n);
	again = sample_of(p, n, seed, per_level);
	*wrong += !same(&few, &again) || !in_order(&few) || !in_order(&all) || !least(&few, &all);
	sh_sample_free(&few);
	sh_sample_free(&all);
	sh_sample_free(&again);
}

int main(void)
{
	struct pair p[PAIRS];
	struct sh_sample x, y;
	int wrong = 0;

	rng_init(5);
	for (int i = 0; i < 2000; i++)
		random_case(&wrong);
	ok(wrong == 0,
	    "the sample has the pairs with the least keys, sorted, for any order of pairs: %d "
	    "samples do not",
	    wrong);
	for (uint32_t i = 0; i < PAIRS; i++)
		p[i] = (struct pair){ i, i + 1, 0, 0 };
	x = sample_of(p, PAIRS, 0, 10);
	y = sample_of(p, PAIRS, 1, 10);
	ok(!same(&x, &y), "another seed gives another sample");
	sh_sample_free(&x);
	sh_sample_free(&y);
	return done_testing();
}
