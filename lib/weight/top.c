#include "weight/top.h"

#include <stdlib.h>

static int heavier_first(const void *a, const void *b)
{
	const struct sh_heavy *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

size_t sh_top_first(struct sh_heavy *f, size_t all, size_t n)
{
	if (all)
		qsort(f, all, sizeof *f, heavier_first);
	return n < all ? n : all;
}
