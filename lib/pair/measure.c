#include "pair/measure.h"

#include <string.h>

/* ---- sets ---- */

/* Without branches: which set is ahead is anybody's guess. */
static size_t common(const struct sh_weighed_set *x, const struct sh_weighed_set *y)
{
	size_t i = 0, j = 0, n = 0;

	while (i < x->n && j < y->n) {
		uint64_t a = x->hash[i], b = y->hash[j];

		n += a == b;
		i += a <= b;
		j += b <= a;
	}
	return n;
}

static void jaccard(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, struct sh_similarity *s)
{
	size_t both = common(x, y), all = x->n + y->n - both;

	*s = (struct sh_similarity){ sh_wide(both), sh_wide(all), sh_wide(all) };
}

static void containment(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, struct sh_similarity *s)
{
	size_t least = x->n < y->n ? x->n : y->n;

	*s = (struct sh_similarity){ sh_wide(common(x, y)), sh_wide(least), sh_wide(least) };
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
	*s = (struct sh_similarity){ sum, x->squares, y->squares };
}

static const struct sh_measure measures[] = {
	{ "jaccard", false, jaccard },
	{ "containment", false, containment },
	{ "cosine", true, cosine },
};

const struct sh_measure *sh_measure_find(const char *name)
{
	for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
		if (strcmp(measures[i].name, name) == 0)
			return &measures[i];
	return NULL;
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

	/* the greatest t with similarity >= (t - 1/2) / 10000 */
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
