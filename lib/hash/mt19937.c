/* SPDX-License-Identifier: MIT */
#include "hash/mt19937.h"

enum { N = SH_MT19937_WORDS, M = 397 };

void sh_mt19937_seed(struct sh_mt19937 *r, uint32_t seed)
{
	for (uint32_t i = 0; i < N; i++) {
		r->state[i] = seed;
		seed = UINT32_C(1812433253) * (seed ^ seed >> 30) + i + 1;
	}
	r->at = N;
}

static void refill(struct sh_mt19937 *r)
{
	for (unsigned i = 0; i < N; i++) {
		uint32_t y = (r->state[i] & UINT32_C(0x80000000)) |
			     (r->state[(i + 1) % N] & UINT32_C(0x7fffffff));

		r->state[i] = r->state[(i + M) % N] ^ y >> 1 ^ (y & 1 ? UINT32_C(0x9908b0df) : 0);
	}
	r->at = 0;
}

uint32_t sh_mt19937_next32(struct sh_mt19937 *r)
{
	uint32_t y;

	if (r->at == N)
		refill(r);
	y = r->state[r->at++];
	y ^= y >> 11;
	y ^= y << 7 & UINT32_C(0x9d2c5680);
	y ^= y << 15 & UINT32_C(0xefc60000);
	return y ^ y >> 18;
}

uint64_t sh_mt19937_next64(struct sh_mt19937 *r)
{
	uint64_t upper = sh_mt19937_next32(r);

	return upper << 32 | sh_mt19937_next32(r);
}

uint64_t sh_mt19937_at_most(struct sh_mt19937 *r, uint64_t most)
{
	uint64_t mask = most, x;

	for (unsigned shift = 1; shift < 64; shift *= 2)
		mask |= mask >> shift;
	do
		x = sh_mt19937_next64(r) & mask;
	while (x > most);
	return x;
}
