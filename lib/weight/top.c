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

/* Puts x into the hole at `at` of a heap of n elements whose root is the lightest. The hole first
 * sinks to the bottom, each time to the lighter child; of equal children, to the right one. Then x
 * rises, at most to `at`. */
static void sift(struct sh_heavy *heap, size_t at, size_t n, struct sh_heavy x)
{
	size_t hole = at, child;

	while ((child = 2 * hole + 2) < n) {
		if (heap[child].weight > heap[child - 1].weight)
			child--;
		heap[hole] = heap[child];
		hole = child;
	}
	if (child == n) {
		heap[hole] = heap[n - 1];
		hole = n - 1;
	}
	while (hole > at && heap[(hole - 1) / 2].weight > x.weight) {
		heap[hole] = heap[(hole - 1) / 2];
		hole = (hole - 1) / 2;
	}
	heap[hole] = x;
}

/* Makes a heap of the first n. Each heavier feature after them replaces the
 * root. Then sorts the heap. */
size_t sh_top_heap(struct sh_heavy *f, size_t all, size_t n)
{
	if (n > all)
		n = all;
	if (n == 0)
		return 0;
	for (size_t i = n / 2; i-- > 0;)
		sift(f, i, n, f[i]);
	for (size_t i = n; i < all; i++) {
		struct sh_heavy x = f[i];

		if (x.weight > f[0].weight) {
			f[i] = f[0];
			sift(f, 0, n, x);
		}
	}
	/* Move the lightest to the end, one after the other. */
	for (size_t left = n; left > 1;) {
		struct sh_heavy x = f[--left];

		f[left] = f[0];
		sift(f, 0, left, x);
	}
	return n;
}
