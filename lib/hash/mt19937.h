/* The random numbers of numpy.random.RandomState: the Mersenne Twister MT19937 (Matsumoto, Nishimura
 * 1998), seeded by one number of 32 bits. */
#ifndef SH_HASH_MT19937_H
#define SH_HASH_MT19937_H

#include <stdint.h>

enum { SH_MT19937_WORDS = 624 };

struct sh_mt19937 {
	uint32_t state[SH_MT19937_WORDS];
	unsigned at; /* the next word of the state */
};

void sh_mt19937_seed(struct sh_mt19937 *r, uint32_t seed);

uint32_t sh_mt19937_next32(struct sh_mt19937 *r);

/* Returns 64 bits, the upper half drawn first. */
uint64_t sh_mt19937_next64(struct sh_mt19937 *r);

/* Returns a random number from 0 to `most`, all equally likely, as RandomState.randint() draws it for
 * uint64. Each draw keeps only the bits that `most` has; a draw above `most` is repeated. */
uint64_t sh_mt19937_below(struct sh_mt19937 *r, uint64_t most);

#endif
