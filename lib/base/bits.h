/* SPDX-License-Identifier: MIT */
/* Counts the ones of a word. Also defines sets of the numbers 0 to n, n included, with one bit for
 * each number. An empty set is an array of sh_bits_words(n) zeroed words. */
#ifndef SH_BASE_BITS_H
#define SH_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the number of ones in x. __builtin_popcountll() may compile to a function call. */
static inline unsigned sh_count_bits(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
	return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Returns the number of words of a set whose largest possible member is n. */
static inline size_t sh_bits_words(size_t n)
{
	return n / 64 + 1;
}

static inline void sh_bits_put(uint64_t *set, size_t x)
{
	set[x / 64] |= UINT64_C(1) << x % 64;
}

/* Adds from .. to - 1. Returns how many of them the set did not have. */
static inline uint32_t sh_bits_put_range(uint64_t *set, uint32_t from, uint32_t to)
{
	uint32_t fresh = 0;

	for (uint32_t i = from; i < to;) {
		uint32_t bit = i % 64, n = to - i < 64 - bit ? to - i : 64 - bit;
		uint64_t mask = (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << bit;

		fresh += sh_count_bits(mask & ~set[i / 64]);
		set[i / 64] |= mask;
		i += n;
	}
	return fresh;
}

static inline bool sh_bits_has(const uint64_t *set, size_t x)
{
	return set[x / 64] >> x % 64 & 1;
}

#endif
