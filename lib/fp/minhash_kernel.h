/* The loops of MinHash (minhash.h), in variants for different processors. All variants give the
 * same values: t/unit/test_minhash.c compares them. */
#ifndef SH_FP_MINHASH_KERNEL_H
#define SH_FP_MINHASH_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* A value has the number of its round above VALUE_BITS bits of a hash. */
#define SH_MINHASH_VALUE_BITS 48
#define SH_MINHASH_VALUE_MASK ((UINT64_C(1) << SH_MINHASH_VALUE_BITS) - 1)
/* An empty bin: more than each value. */
#define SH_MINHASH_EMPTY UINT64_MAX

struct sh_minhash_kernel {
	struct sh_variant variant;
	/* Does all rounds for n >= 1 hashes. Bins that stay empty are SH_MINHASH_EMPTY: returns
	 * whether there are such bins. Sets *filled to the number of bins that round 0 filled. */
	bool (*fill)(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin, unsigned *filled);
	/* See sh_minhash_bits(). */
	void (*bits)(const uint64_t *bin, unsigned bits, uint64_t *out);
};

#if defined(__x86_64__)
extern const struct sh_minhash_kernel sh_minhash_avx512;
#endif

/* Returns variant i of the variants that this machine can run, the fastest first; NULL after the
 * last. */
const struct sh_minhash_kernel *sh_minhash_kernel_at(unsigned i);

#endif
