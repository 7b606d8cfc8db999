/* SPDX-License-Identifier: MIT */
/* Fingerprints for tests: random ones, and functions that read and change a bit. Bit 0 is the
 * highest bit of the first word. Bits behind the last one are 0. */
#ifndef FPS_H
#define FPS_H

#include "record/fingerprint.h"
#include "rng.h"

static inline unsigned below(unsigned n)
{
	return (unsigned)rng_below(n);
}

static inline unsigned bit_of(const uint64_t *fp, unsigned bit)
{
	return fp[bit / 64] >> (63 - bit % 64) & 1;
}

static inline void flip(uint64_t *fp, unsigned bit)
{
	fp[bit / 64] ^= UINT64_C(1) << (63 - bit % 64);
}

static inline void random_fp(uint64_t *fp, unsigned bits)
{
	unsigned words = SH_FP_WORDS(bits);

	for (unsigned i = 0; i < words; i++)
		fp[i] = rng();
	if (bits % 64)
		fp[words - 1] &= ~UINT64_C(0) << (64 - bits % 64);
}

#endif
