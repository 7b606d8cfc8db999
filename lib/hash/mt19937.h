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

/* Returns an even random number from 0 to `most`, as RandomState.randint() draws it for uint64: numbers
 * with more bits than `most` lose them, numbers above `most` are drawn again. */
uint64_t sh_mt19937_below(struct sh_mt19937 *r, uint64_t most);

#endif
