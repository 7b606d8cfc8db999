/* SPDX-License-Identifier: MIT */
#include "fp/hashsort.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/numsort.h"

enum {
	FEW = 24, /* up to FEW hashes are sorted by insertion alone */
	DIGIT_BITS = SH_NUMSORT_BITS,
	PASSES_MAX = 3,       /* radix digits, at most */
	FIRST_ROOM = 1 << 12, /* elements allocated at first */
};

/* Returns the number of upper bits in which most of n evenly distributed hashes differ. */
static unsigned distinct_bits(size_t n)
{
	unsigned bits = 4;

	for (; n > 1; n >>= 1)
		bits++;
	return bits < PASSES_MAX * DIGIT_BITS ? bits : PASSES_MAX * DIGIT_BITS;
}

/* Sorts the hashes by a radix sort of their upper bits, the lowest digit first, then by
 * insertion. h->hash and h->room are exchanged in each pass. */
void sh_hashes_sort(struct sh_hashes *h, size_t n)
{
	unsigned bits = distinct_bits(n), passes = bits > 2 * DIGIT_BITS ? 3 : 2;

	bits = (bits + passes - 1) / passes;
	for (unsigned left = n > FEW ? passes : 0; left > 0; left--) {
		uint64_t *sorted = h->room;
		size_t cap = h->room_cap;

		sh_numsort_pass(h->hash, sorted, n, 64 - left * bits, bits);
		h->room = h->hash;
		h->room_cap = h->hash_cap;
		h->hash = sorted;
		h->hash_cap = cap;
	}
	sh_numsort_insert(h->hash, n);
}

/* Allocates at least FIRST_ROOM elements at first: each growth copies the array. */
static int grow(void *array, size_t *cap, size_t n, size_t size, struct sh_error *err)
{
	n = n < FIRST_ROOM ? FIRST_ROOM : n;
	return sh_reserve(array, cap, n, size, err);
}

int sh_hashes_reserve(struct sh_hashes *h, size_t n, struct sh_error *err)
{
	if (grow(&h->hash, &h->hash_cap, n, sizeof *h->hash, err) < 0 ||
	    grow(&h->room, &h->room_cap, n, sizeof *h->room, err) < 0)
		return -1;
	return grow(&h->count, &h->count_cap, n, sizeof *h->count, err);
}

void sh_hashes_free(struct sh_hashes *h)
{
	free(h->hash);
	free(h->room);
	free(h->count);
	*h = (struct sh_hashes){ 0 };
}

/* Replaces sorted hashes by the distinct hashes, and stores their counts. Returns the number of
 * distinct hashes. There is no branch on the hashes: the last of equal hashes writes last. */
static size_t count_equal(uint64_t *hash, uint32_t *count, size_t n)
{
	size_t distinct = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		uint64_t h = hash[i];

		hash[distinct] = h;
		count[distinct] = (uint32_t)(i + 1);
		distinct += h != hash[i + 1];
	}
	if (n) {
		hash[distinct] = hash[n - 1];
		count[distinct++] = (uint32_t)n;
	}
	for (size_t i = distinct; i-- > 1;)
		count[i] -= count[i - 1];
	return distinct;
}

size_t sh_hashes_distinct(struct sh_hashes *h, size_t n)
{
	sh_hashes_sort(h, n);
	return count_equal(h->hash, h->count, n);
}
