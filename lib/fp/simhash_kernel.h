/* The two inner loops of a fingerprint, as a row that a faster one can replace.
 *
 * A variant for other instructions is another row of the table in simhash.c; all
 * must give the same counts, and t/unit/test_simhash.c holds each usable row to it.
 * Lane b is bit number b of the word: 0 is the most significant. */
#ifndef SH_FP_SIMHASH_KERNEL_H
#define SH_FP_SIMHASH_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* 64 counters in bit slices: bit i of a lane's counter is that lane's bit of plane i.
 * So many planes hold a count of SH_UNITS_MAX. */
enum { SH_PLANES = 44 };
#define SH_UNITS_MAX (INT64_MAX / 1000000)

/* Planes that counts of up to n reach. */
static inline unsigned sh_planes_used(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

struct sh_simhash_kernel {
	struct sh_variant variant;
	/* Count n words' set bits into planes, whose counts do not exceed `total` then. */
	void (*units)(uint64_t planes[SH_PLANES], uint64_t total, const uint64_t *h, size_t n);
	/* sum[b] += w[i] for each set lane b of h[i]. All the weights that went into
	 * sum together do not exceed INT32_MAX; none is negative. */
	void (*weights)(int32_t sum[64], const uint64_t *h, const int64_t *w, size_t n);
};

extern const struct sh_simhash_kernel sh_simhash_plain;
#if defined(__x86_64__)
extern const struct sh_simhash_kernel sh_simhash_avx2, sh_simhash_avx512;
#elif defined(__aarch64__)
extern const struct sh_simhash_kernel sh_simhash_neon;
#endif

/* The rows that this machine can run, fastest first; NULL after the last. */
const struct sh_simhash_kernel *sh_simhash_kernel_at(unsigned i);

#endif
