/* SPDX-License-Identifier: MIT */
#include "match/measure.h"

#include "base/rows.h"

enum { BLOCK = 64 }; /* steps between two looks at what is left */

/* ---- sets ---- */

/* What is not compared yet of two ascending rows. */
struct rows {
	const uint64_t *x, *x_end, *y, *y_end;
};

/* Returns 1 when both rows have the value. Without branches: which row is ahead is random. */
static inline size_t step(struct rows *r)
{
	uint64_t a = *r->x, b = *r->y;

	r->x += a <= b;
	r->y += b <= a;
	return a == b;
}

size_t sh_sets_share(const struct sh_weighed_set *x, const struct sh_weighed_set *y, size_t least)
{
	struct rows r = { x->hash, x->hash + x->n, y->hash, y->hash + y->n };
	size_t n = 0;

	while (r.x < r.x_end && r.y < r.y_end) {
		size_t left_x = (size_t)(r.x_end - r.x), left_y = (size_t)(r.y_end - r.y);
		size_t left = left_x < left_y ? left_x : left_y; /* steps that end neither row */

		if (n + left < least)
			break;
		left = left < BLOCK ? left : BLOCK;
		for (size_t i = 0; i < left; i++)
			n += step(&r);
	}
	return n;
}

static void jaccard(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, struct sh_similarity *s)
{
	size_t both = sh_sets_share(x, y, 0), all = x->n + y->n - both;

	*s = (struct sh_similarity){ .num = sh_wide(both), .a = sh_wide(all), .b = sh_wide(all) };
}

size_t sh_jaccard_common(size_t n, size_t m, uint64_t threshold)
{
	uint64_t whole = UINT64_C(1000000) + threshold;

	return (size_t)((threshold * (n + m) + whole - 1) / whole);
}

static void containment1(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, struct sh_similarity *s)
{
	*s = (struct sh_similarity){
		.num = sh_wide(sh_sets_share(x, y, 0)), .a = sh_wide(x->n), .b = sh_wide(x->n)
	};
}

static void containment2(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, struct sh_similarity *s)
{
	containment1(y, x, s);
}

static void containment(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, struct sh_similarity *s)
{
	(x->n < y->n ? containment1 : containment2)(x, y, s);
}

static void cosine(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, struct sh_similarity *s)
{
	struct sh_wide sum = { 0, 0 };
	size_t i = 0, j = 0;

	while (i < x->n && j < y->n) {
		uint64_t a = x->hash[i], b = y->hash[j];

		if (a == b)
			sum = sh_wide_add(sum, sh_wide_mul(x->weight[i], y->weight[j]));
		i += a <= b;
		j += b <= a;
	}
	*s = (struct sh_similarity){ .num = sum, .a = x->squares, .b = y->squares };
}

/* Measures that suit duplicates come first. */
static const struct sh_measure measures[] = {
	{ .name = "jaccard", .duplicates = true, .compare = jaccard },
	{ .name = "edit", .duplicates = true, .ordered = true },
	{ .name = "any", .duplicates = true, .any = true },
	{ .name = "containment", .compare = containment },
	{ .name = "containment1", .compare = containment1 },
	{ .name = "containment2", .compare = containment2 },
	{ .name = "cosine", .weighs = true, .compare = cosine },
};

const struct sh_measure *sh_measure_at(size_t i)
{
	return sh_row_at(SH_ROWS(measures), i);
}

const struct sh_measure *sh_measure_find(const char *name)
{
	return sh_row_find(SH_ROWS(measures), name);
}

/* ---- similarities ---- */

struct product {
	struct sh_wide high, low;
};

static struct product multiply(struct sh_wide x, struct sh_wide y)
{
	struct sh_wide ac = sh_wide_mul(x.high, y.high), ad = sh_wide_mul(x.high, y.low);
	struct sh_wide bc = sh_wide_mul(x.low, y.high), bd = sh_wide_mul(x.low, y.low);
	struct sh_wide middle =
	    sh_wide_add(sh_wide(bd.high), sh_wide_add(sh_wide(ad.low), sh_wide(bc.low)));

	ac = sh_wide_add(ac, sh_wide_add(sh_wide(ad.high), sh_wide(bc.high)));
	return (struct product){ sh_wide_add(ac, sh_wide(middle.high)), { middle.low, bd.low } };
}

static bool less(const struct product *x, const struct product *y)
{
	return sh_wide_less(x->high, y->high) ||
	       (!sh_wide_less(y->high, x->high) && sh_wide_less(x->low, y->low));
}

/* num / sqrt(a b) >= p / q, that is (num q)² >= p² a b */
bool sh_similarity_reaches(const struct sh_similarity *s, uint64_t p, uint64_t q)
{
	struct product left, right;
	struct sh_wide scaled = sh_wide_scale(s->num, q);

	if ((s->num.high | s->num.low) == 0)
		return p == 0;
	left = multiply(scaled, scaled);
	right = multiply(sh_wide_scale(s->a, p * p), s->b);
	return !less(&left, &right);
}

unsigned sh_similarity_round(const struct sh_similarity *s)
{
	unsigned lo = 0, hi = 10000;

	/* finds the greatest t with similarity >= (t - 1/2) / 10000 */
	while (lo < hi) {
		unsigned t = hi - (hi - lo) / 2;

		if (sh_similarity_reaches(s, 2 * t - 1, 20000))
			lo = t;
		else
			hi = t - 1;
	}
	return lo;
}

void sh_similarity_print(char *to, unsigned t)
{
	to[0] = (char)('0' + t / 10000);
	to[1] = '.';
	for (int i = 5; i >= 2; i--, t /= 10)
		to[i] = (char)('0' + t % 10);
}
