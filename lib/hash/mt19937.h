/* SPDX-License-Identifier: MIT */
/* The random numbers of numpy.random.RandomState: the Mersenne Twister MT19937 (Matsumoto,
 * Nishimura 1998), seeded by one number of 32 bits. */
#ifndef SH_HASH_MT19937_H
#define SH_HASH_MT19937_H

#include <stdint.h>

enum { SH_MT19937_WORDS = 624 };

struct sh_mt19937 {
	uint32_t state[SH_MT19937_WORDS];
	unsigned at; /* index of the next word of the state */
};

/* Begins the sequence of a seed. */
void sh_mt19937_seed(struct sh_mt19937 *r, uint32_t seed);

/* Returns the next 32 bits. */
uint32_t sh_mt19937_next32(struct sh_mt19937 *r);

/* Returns 64 bits: next32() gives the upper half, then the lower half. */
uint64_t sh_mt19937_next64(struct sh_mt19937 *r);

/* Returns a random number from 0 to `most`, inclusive, as RandomState.randint() draws uint64: a
 * draw keeps only the low bits up to the highest bit of `most`, and is repeated when above
 * `most`. */
uint64_t sh_mt19937_at_most(struct sh_mt19937 *r, uint64_t most);

#endif
