/* SPDX-License-Identifier: MIT */
/* A seeded generator for tests (SplitMix64). rng_init() prints the seed. The environment variable
 * SEED sets the seed, to repeat a failure. */
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

/* Returns a number from 0 to n - 1. n is at least 1. */
static inline size_t rng_below(uint64_t n)
{
	return (size_t)(rng() % n);
}

/* Returns a number of a random width, so that small and large numbers are equally likely. */
static inline uint64_t rng_any(void)
{
	uint64_t width = rng_below(64);

	return rng() >> width;
}

/* Returns the number of random cases to test: n, or about n / N when the environment has T_SHORT=N.
 * Tests with sanitizers and emulators set T_SHORT, because they take four and twenty times as
 * long. */
static inline unsigned rng_rounds(unsigned n)
{
	const char *env = getenv("T_SHORT");
	unsigned less = env ? (unsigned)strtoul(env, NULL, 10) : 1;

	return less > 1 ? n / less + 1 : n;
}

#endif
