/* The steps of repeats.c for up to SH_REPEATS_SHORT hashes, as a row that a faster one can
 * replace. Indexes and slots have 16 bits, so that all stays in the first-level cache.
 *
 * All rows find the same repeats, in whatever order; t/unit/test_variants.c holds them to it. */
#ifndef SH_FP_REPEATS_KERNEL_H
#define SH_FP_REPEATS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* So many hashes have at most 2^16 slots. Elements that a row may write behind the last one. */
enum { SH_REPEATS_SHORT = 1 << 14, SH_REPEATS_SLACK = 32 };

/* What became of the guests. */
struct sh_repeats_found {
	uint64_t *hash;  /* those that are repeated; of once(): each once */
	uint32_t *count; /* of each, 2 or more; not by once() */
	size_t n;
	uint64_t *stray;
	size_t strays;
};

struct sh_repeats_kernel {
	struct sh_variant variant;
	/* The slots of n hashes, below 1 << bits; the key is odd and random. */
	void (*slots)(const uint64_t *hash, size_t n, unsigned bits, uint64_t key, uint16_t *slot);
	/* The indexes that do not own their slot, and its owners. What is in `slot` is lost. */
	size_t (*guests)(uint16_t *restrict slot, const uint16_t *restrict owner, size_t n,
	    uint16_t *restrict guest, uint16_t *restrict host);
	/* Count the guests; those whose owner is another hash are strays. `more` has room
	 * for n, `guest` and `host` are lost. Fills the arrays of `found`, and its numbers. */
	void (*count)(const uint64_t *hash, size_t n, uint16_t *restrict guest,
	    uint16_t *restrict host, size_t guests, uint16_t *restrict more,
	    struct sh_repeats_found *found);
	/* Instead of both: the hashes of the owners, each of which is there once. `guest` and
	 * `host` have room for n, and what is in `slot` is lost. */
	void (*once)(const uint64_t *hash, size_t n, uint16_t *restrict slot,
	    const uint16_t *restrict owner, uint16_t *restrict guest, uint16_t *restrict host,
	    struct sh_repeats_found *found);
};

extern const struct sh_repeats_kernel sh_repeats_plain;
#if defined(__x86_64__)
extern const struct sh_repeats_kernel sh_repeats_avx2, sh_repeats_avx512;
#endif

/* The rows that this machine can run, fastest first; NULL after the last. */
const struct sh_repeats_kernel *sh_repeats_kernel_at(unsigned i);

#endif
