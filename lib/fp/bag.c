/* SPDX-License-Identifier: MIT */
#include "fp/bag.h"

#include <stdlib.h>

/* The class is the first 7 bits of a token's hash. */
void sh_bag_fill(struct sh_bag *bag, const uint64_t *token, size_t n)
{
	*bag = (struct sh_bag){ .n = n };
	for (size_t i = 0; i < n; i++) {
		uint8_t *times = &bag->times[token[i] >> 57];

		*times = (uint8_t)(*times + (*times < UINT8_MAX));
	}
}

/* Let `more` tokens of one text be missing in the other text, and `less` tokens of the other in the
 * first. The distance is at least the larger of both. The differences of the classes sum to at most
 * more + less. The lengths differ by |more - less|. */
size_t sh_bag_distance(const struct sh_bag *x, const struct sh_bag *y)
{
	size_t lengths = x->n > y->n ? x->n - y->n : y->n - x->n;
	int sum = 0;

	for (size_t i = 0; i < sizeof x->times; i++)
		sum += abs(x->times[i] - y->times[i]);
	return ((size_t)sum + lengths + 1) / 2;
}
