/* SPDX-License-Identifier: MIT */
#include "base/numsort.h"

#include <string.h>

enum {
	FEW = 32,  /* at most FEW numbers are sorted by insertion: counters would cost more */
	DIGIT = 8, /* bits of a pass: with fewer counters, passes over few numbers take less time */
};

void sh_numsort_insert(uint64_t *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = a[i];
		size_t j = i;

		for (; j > 0 && a[j - 1] > x; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

void sh_numsort_pass(
    const uint64_t *restrict from, uint64_t *restrict to, size_t n, unsigned shift, unsigned bits)
{
	size_t at[1 << SH_NUMSORT_BITS], mask = ((size_t)1 << bits) - 1, sum = 0;

	memset(at, 0, (mask + 1) * sizeof *at);
	for (size_t i = 0; i < n; i++)
		at[from[i] >> shift & mask]++;
	for (size_t d = 0; d <= mask; d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i] >> shift & mask]++] = from[i];
}

uint64_t *sh_numsort(uint64_t *a, uint64_t *room, size_t n)
{
	uint64_t differ = 0;

	if (n <= FEW) {
		sh_numsort_insert(a, n);
		return a;
	}
	for (size_t i = 1; i < n; i++)
		differ |= a[i] ^ a[0];
	for (unsigned shift = 0; shift < 64; shift += DIGIT) {
		uint64_t *sorted = room;

		if (!(differ >> shift & ((1 << DIGIT) - 1)))
			continue;
		sh_numsort_pass(a, sorted, n, shift, DIGIT);
		room = a;
		a = sorted;
	}
	return a;
}
