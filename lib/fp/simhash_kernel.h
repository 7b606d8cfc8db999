/* The two inner loops of a fingerprint, in one variant for each kind of vector register.
 *
 * All variants give the same counts: t/unit/test_simhash.c compares each that this machine can run.
 * Lane b of a word is its bit number b; bit 0 is the most significant. */
#ifndef SH_FP_SIMHASH_KERNEL_H
#define SH_FP_SIMHASH_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* 64 counters as bit slices: bit i of the counter of lane b is lane b of plane i. SH_PLANES planes
 * hold counts of up to SH_UNITS_MAX. */
enum { SH_PLANES = 44 };
#define SH_UNITS_MAX (INT64_MAX / 1000000)

/* Returns the number of planes that a count of n needs. */
static inline unsigned sh_planes_used(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

struct sh_simhash_kernel {
	struct sh_variant variant;
	/* Adds the bits of n words to the counters: 1 to the counter of lane b for each word that has this bit. After
	 * it no counter is above `total`, so only the planes that `total` needs are touched. */
	void (*units)(uint64_t planes[SH_PLANES], uint64_t total, const uint64_t *h, size_t n);
	/* sum[b] += w[i] for each lane b that is set in h[i]. Weights are 0 or more. The caller makes sure that all
	 * weights added to sum[] since it was zero total at most INT32_MAX. */
	void (*weights)(int32_t sum[64], const uint64_t *h, const int64_t *w, size_t n);
};

extern const struct sh_simhash_kernel sh_simhash_plain;
#if defined(__x86_64__)
extern const struct sh_simhash_kernel sh_simhash_avx2;
#endif

/* Returns variant number i of those that this machine can run, the fastest first; NULL after the
 * last one. */
const struct sh_simhash_kernel *sh_simhash_kernel_at(unsigned i);

#endif
