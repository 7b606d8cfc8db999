/* SPDX-License-Identifier: MIT */
#include "match/measure.h"

#include "base/bisect.h"
#include "base/rows.h"

enum { PARTS = 4, LARGE = 64 };

/* ---- sets ---- */

/* The parts of two ascending rows that are not compared yet. */
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

/* Returns a number of steps that ends neither row. */
static size_t sure_steps(const struct rows *r)
{
	size_t x = (size_t)(r->x_end - r->x), y = (size_t)(r->y_end - r->y);

	return x < y ? x : y;
}

static size_t common_rows(struct rows *r)
{
	size_t n = 0;

	while (r->x < r->x_end && r->y < r->y_end)
		n += step(r);
	return n;
}

/* Returns the first element of the row that is at least `value`. */
static const uint64_t *lower_bound(const uint64_t *from, const uint64_t *end, uint64_t value)
{
	SH_BISECT(from, end, middle, *middle < value);
	return from;
}

/* Cuts both rows at the same values into PARTS parts. The parts of x have equal lengths. */
static void part_rows(const struct rows *all, struct rows *part)
{
	size_t n = (size_t)(all->x_end - all->x);

	for (size_t i = 0; i < PARTS; i++) {
		part[i].x = all->x + n * i / PARTS;
		part[i].y = i ? lower_bound(part[i - 1].y, all->y_end, *part[i].x) : all->y;
	}
	for (size_t i = 0; i < PARTS; i++) {
		part[i].x_end = i + 1 < PARTS ? part[i + 1].x : all->x_end;
		part[i].y_end = i + 1 < PARTS ? part[i + 1].y : all->y_end;
	}
}

/* Counts the values that both rows have. Each step depends on the one before, and most of its time
 * is latency. So four parts advance in parallel until one of them may end. */
static size_t common_parts(const struct rows *all)
{
	struct rows part[PARTS];
	size_t n = 0, steps;

	part_rows(all, part);
	do {
		struct rows a = part[0], b = part[1], c = part[2], d = part[3];

		steps = sure_steps(&a);
		steps = sure_steps(&b) < steps ? sure_steps(&b) : steps;
		steps = sure_steps(&c) < steps ? sure_steps(&c) : steps;
		steps = sure_steps(&d) < steps ? sure_steps(&d) : steps;
		for (size_t i = 0; i < steps; i++)
			n += step(&a) + step(&b) + step(&c) + step(&d);
		part[0] = a;
		part[1] = b;
		part[2] = c;
		part[3] = d;
	} while (steps);
	for (size_t i = 0; i < PARTS; i++)
		n += common_rows(&part[i]);
	return n;
}

size_t sh_sets_share(const struct sh_weighed_set *x, const struct sh_weighed_set *y)
{
	struct rows all = { x->hash, x->hash + x->n, y->hash, y->hash + y->n };

	return x->n < LARGE || y->n < LARGE ? common_rows(&all) : common_parts(&all);
}

static void jaccard(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, struct sh_similarity *s)
{
	size_t both = sh_sets_share(x, y), all = x->n + y->n - both;

	*s = (struct sh_similarity){ .num = sh_wide(both), .a = sh_wide(all), .b = sh_wide(all) };
}

/* Looks at one part after the other, as long as these have fewer in common than their share. */
bool sh_sets_share_less(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, size_t least)
{
	struct rows part = { x->hash, x->hash, y->hash, y->hash };
	const uint64_t *x_end = x->hash + x->n, *y_end = y->hash + y->n;
	size_t both = 0;

	if (x->n < LARGE || y->n < LARGE)
		return false;
	for (size_t i = 1; both * PARTS <= least * (i - 1) && i <= PARTS; i++) {
		size_t left_x, left_y;

		part.x = part.x_end;
		part.y = part.y_end;
		part.x_end = x->hash + x->n * i / PARTS;
		part.y_end = i < PARTS ? lower_bound(part.y, y_end, *part.x_end) : y_end;
		left_x = (size_t)(x_end - part.x_end);
		left_y = (size_t)(y_end - part.y_end);
		both += common_rows(&part);
		if (both + (left_x < left_y ? left_x : left_y) < least)
			return true;
	}
	return false;
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
		.num = sh_wide(sh_sets_share(x, y)), .a = sh_wide(x->n), .b = sh_wide(x->n)
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
