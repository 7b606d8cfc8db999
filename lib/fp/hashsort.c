/* SPDX-License-Identifier: MIT */
#include "fp/hashsort.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

enum {
	FEW = 24,             /* up to FEW hashes are sorted by insertion alone */
	DIGIT_BITS = 11,      /* most bits of a digit: its counters stay in the first-level cache */
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

/* Sorts by insertion: fast for few hashes, and for hashes near their final places. */
static void insert(uint64_t *hash, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = hash[i];
		size_t j = i;

		for (; j > 0 && hash[j - 1] > x; j--)
			hash[j] = hash[j - 1];
		hash[j] = x;
	}
}

/* One pass of a radix sort, by `bits` bits from bit `shift` on. Hashes with the same digit keep
 * their order. */
static void sort_pass(
    const uint64_t *restrict from, uint64_t *restrict to, size_t n, unsigned shift, unsigned bits)
{
	size_t at[1 << DIGIT_BITS], mask = ((size_t)1 << bits) - 1, sum = 0;

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

/* Sorts the hashes by a radix sort of their upper bits, the lowest digit first, then by
 * insertion. h->hash and h->room are exchanged in each pass. */
void sh_hashes_sort(struct sh_hashes *h, size_t n)
{
	unsigned bits = distinct_bits(n), passes = bits > 2 * DIGIT_BITS ? 3 : 2;

	bits = (bits + passes - 1) / passes;
	for (unsigned left = n > FEW ? passes : 0; left > 0; left--) {
		uint64_t *sorted = h->room;
		size_t cap = h->room_cap;

		sort_pass(h->hash, sorted, n, 64 - left * bits, bits);
		h->room = h->hash;
		h->room_cap = h->hash_cap;
		h->hash = sorted;
		h->hash_cap = cap;
	}
	insert(h->hash, n);
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
