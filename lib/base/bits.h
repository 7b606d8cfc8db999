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

static inline bool sh_bits_has(const uint64_t *set, size_t x)
{
	return set[x / 64] >> x % 64 & 1;
}

#endif
