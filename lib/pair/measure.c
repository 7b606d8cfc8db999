#include "pair/measure.h"

#include <string.h>

typedef unsigned __int128 wide;

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

	*s = (struct sh_similarity){ both, all, all };
}

static void containment(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, struct sh_similarity *s)
{
	size_t least = x->n < y->n ? x->n : y->n;

	*s = (struct sh_similarity){ common(x, y), least, least };
}

static void cosine(
    const struct sh_weighed_set *x, const struct sh_weighed_set *y, struct sh_similarity *s)
{
	wide sum = 0;
	size_t i = 0, j = 0;

	while (i < x->n && j < y->n) {
		uint64_t a = x->hash[i], b = y->hash[j];

		if (a == b)
			sum += (wide)x->weight[i] * y->weight[j];
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
	wide high, low;
};

static struct product multiply(wide x, wide y)
{
	uint64_t a = (uint64_t)(x >> 64), b = (uint64_t)x, c = (uint64_t)(y >> 64), d = (uint64_t)y;
	wide bd = (wide)b * d, ad = (wide)a * d, bc = (wide)b * c;
	wide middle = (bd >> 64) + (uint64_t)ad + (uint64_t)bc;

	return (struct product){ (wide)a * c + (ad >> 64) + (bc >> 64) + (middle >> 64),
		middle << 64 | (uint64_t)bd };
}

/* num / sqrt(a b) >= p / q, that is (num q)² >= p² a b */
bool sh_similarity_reaches(const struct sh_similarity *s, uint64_t p, uint64_t q)
{
	struct product left, right;

	if (s->num == 0)
		return p == 0;
	left = multiply(s->num * q, s->num * q);
	right = multiply(s->a * (p * p), s->b);
	return left.high != right.high ? left.high > right.high : left.low >= right.low;
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
