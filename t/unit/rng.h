/* A seeded generator for tests (SplitMix64): rng_init() prints the seed, and takes
 * it from the environment's SEED to run a failure again. */
#ifndef RNG_H
#define RNG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t rng_state;

static inline void rng_init(uint64_t seed)
{
	const char *env = getenv("SEED");

	rng_state = env ? strtoull(env, NULL, 0) : seed;
	printf("# SEED=0x%llx\n", (unsigned long long)rng_state);
}

static inline uint64_t rng(void)
{
	uint64_t x = rng_state += UINT64_C(0x9E3779B97F4A7C15);

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

/* 0 .. n-1, n > 0: a size, a place, a choice. */
static inline size_t rng_below(uint64_t n)
{
	return (size_t)(rng() % n);
}

/* A number of a random width, so that small and large ones are equally likely. */
static inline uint64_t rng_any(void)
{
	uint64_t width = rng_below(64);

	return rng() >> width;
}

/* How many of n random cases to try: n / N where the environment has T_SHORT=N, as under sanitizers
 * and emulators, which take four times and twenty times as long. */
static inline unsigned rng_rounds(unsigned n)
{
	const char *env = getenv("T_SHORT");
	unsigned less = env ? (unsigned)strtoul(env, NULL, 10) : 1;

	return less > 1 ? n / less + 1 : n;
}

#endif
