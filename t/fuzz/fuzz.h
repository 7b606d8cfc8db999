/* SPDX-License-Identifier: MIT */
/* Functions of all fuzz targets. A target t/fuzz/fuzz_NAME.c has a function of any bytes. It calls
 * check() on properties that hold for all bytes. libFuzzer calls the function (make fuzz), or
 * replay.c with the files of t/fuzz/seeds/NAME (make check).
 *
 * If a unit test has the oracle, the target includes the test. Numbers from the input replace the
 * random numbers of the test:
 *
 *     #include "fuzz.h"
 *     #include "../unit/test_json.c"        its main() becomes unit_main() */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const unsigned fuzz_random; /* how many random inputs replay.c makes */

#define check(cond) fuzz_check(!!(cond), #cond, __FILE__, __LINE__)

static inline void fuzz_check(bool good, const char *what, const char *file, int line)
{
	if (good)
		return;
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

/* ---- the input, read from its beginning ---- */

struct fuzz_input {
	const uint8_t *p;
	size_t n;
};

static struct fuzz_input fuzz_input;
static uint64_t fuzz_after; /* numbers after the end of the input: SplitMix64 of its size */

static inline void fuzz_begin(const uint8_t *data, size_t size)
{
	fuzz_input = (struct fuzz_input){ data, size };
	fuzz_after = size;
}

/* Returns the next n <= 8 bytes as a number; behind the end, other numbers that never repeat. */
static inline uint64_t fuzz_take(unsigned n)
{
	uint64_t x = 0;

	if (fuzz_input.n < n) {
		fuzz_input.n = 0;
		x = fuzz_after += UINT64_C(0x9E3779B97F4A7C15);
		x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
		x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
		return (x ^ x >> 31) >> (64 - 8 * n);
	}
	for (unsigned i = 0; i < n; i++)
		x |= (uint64_t)fuzz_input.p[i] << 8 * i;
	fuzz_input.p += n;
	fuzz_input.n -= n;
	return x;
}

/* Returns a copy of n bytes on the heap, with `pad` bytes behind them. Sanitizers find reads behind
 * these bytes. */
static inline char *fuzz_copy(const void *p, size_t n, size_t pad)
{
	char *copy = malloc(n + pad + 1);

	check(copy != NULL);
	if (n)
		memcpy(copy, p, n);
	memset(copy + n, 0, pad + 1);
	return pad ? copy : (n ? realloc(copy, n) : copy);
}

/* ---- replaces t/unit/rng.h ---- */

#define RNG_H
static uint64_t rng_state;

static inline uint64_t rng(void)
{
	return fuzz_take(8);
}

static inline size_t rng_below(uint64_t n)
{
	return (size_t)(fuzz_take(n <= 256 ? 1 : n <= 65536 ? 2 : 8) % n);
}

static inline uint64_t rng_any(void)
{
	uint64_t width = rng_below(64);

	return rng() >> width;
}

static inline void rng_init(uint64_t seed)
{
	rng_state = seed;
}

static inline unsigned rng_rounds(unsigned n)
{
	return n;
}

/* For an included test: its main(), and its functions that are not static or not used. */
#define main unit_main
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-function"

#endif
