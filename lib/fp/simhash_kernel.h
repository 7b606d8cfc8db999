/* SPDX-License-Identifier: MIT */
/* The two inner loops of a SimHash, in variants for different vector registers.
 *
 * All variants give the same counts: t/unit/test_simhash.c compares the variants that this machine
 * can run. Bit 0 of a word of 64 bits is the most significant. */
#ifndef SH_FP_SIMHASH_KERNEL_H
#define SH_FP_SIMHASH_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* Planes are 64 bit-sliced counters, one for each bit of a word. Binary digit i of counter b, of
 * value 2^i, is bit b of plane i. SH_PLANES planes hold counts of at most SH_UNITS_MAX. */
enum { SH_PLANES = 44 };
#define SH_UNITS_MAX (INT64_MAX / 1000000)

/* Returns the number of planes that a count of n needs. */
static inline unsigned sh_planes_used(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

struct sh_simhash_kernel {
	struct sh_variant variant;
	/* Adds to counter b the number of words h[i] that have bit b, for n words. No counter may
	 * exceed `total` afterwards: only the planes that `total` needs are read and written. */
	void (*units)(uint64_t planes[SH_PLANES], uint64_t total, const uint64_t *h, size_t n);
	/* Adds w[i] >= 0 to sum[b] for each bit b of h[i], for n words. The total of all weights
	 * that were added to sum[] since it was 0 must be at most INT32_MAX. */
	void (*weights)(int32_t sum[64], const uint64_t *h, const int64_t *w, size_t n);
};

extern const struct sh_simhash_kernel sh_simhash_plain;
#if defined(__x86_64__)
extern const struct sh_simhash_kernel sh_simhash_avx2;
#endif

/* Returns variant i of the variants that this machine can run, the fastest
 * first; NULL after the last. */
const struct sh_simhash_kernel *sh_simhash_kernel_at(unsigned i);

#endif
