/* The steps of repeats.c for at most SH_REPEATS_SHORT hashes, in variants for different processors.
 *
 * A hash decides its slot. The caller fills the table: table[slot] is the least index of the slot's
 * hashes. The hash with this index is the first hash of the slot. Any other hash of the slot is a
 * later hash: it repeats the first hash, or it differs and collides with the first hash. Indexes
 * and slots have 16 bits, so that all data stay in the first-level cache.
 *
 * All variants find the same hashes, in any order: t/unit/test_variants.c compares them. */
#ifndef SH_FP_REPEATS_KERNEL_H
#define SH_FP_REPEATS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* SH_REPEATS_SHORT hashes have at most 2^16 slots. An array for n elements must have room
 * for n + SH_REPEATS_SLACK: a vector of 512 bits writes 32 elements of 16 bits at a time. */
enum { SH_REPEATS_SHORT = 1 << 14, SH_REPEATS_SLACK = 32 };

/* The result; the caller's arrays for n elements. */
struct sh_repeats_found {
	uint64_t *hash;  /* count(): the repeated hashes; once(): the first hash of each slot */
	uint32_t *count; /* count(): occurrences of each, at least 2, without collided ones */
	size_t n;
	uint64_t *collided; /* the later hashes that collide, with repetitions */
	size_t n_collided;
};

struct sh_repeats_kernel {
	struct sh_variant variant;
	/* Writes the slot, below 1 << bits, of each of n hashes; bits <= 16. The key is odd
	 * and random. Hashes with equal upper halves have one slot: the slot is computed by
	 * one product of 32 bits. */
	void (*slots)(const uint64_t *hash, size_t n, unsigned bits, uint64_t key, uint16_t *slot);
	/* Writes the index of each later hash to later[], and the index of the first hash of its
	 * slot to first[]. Overwrites `slot`. Returns the number of later hashes. */
	size_t (*later)(uint16_t *restrict slot, const uint16_t *restrict table, size_t n,
	    uint16_t *restrict later, uint16_t *restrict first);
	/* Sets *found from the result of later(). Overwrites later[] and first[]. more[] is
	 * scratch for n elements. */
	void (*count)(const uint64_t *hash, size_t n, uint16_t *restrict later,
	    uint16_t *restrict first, size_t n_later, uint16_t *restrict more,
	    struct sh_repeats_found *found);
	/* Sets *found, without counts, from the slots. Overwrites slot[]. later[] and first[] are
	 * scratch for n elements. */
	void (*once)(const uint64_t *hash, size_t n, uint16_t *restrict slot,
	    const uint16_t *restrict table, uint16_t *restrict later, uint16_t *restrict first,
	    struct sh_repeats_found *found);
};

extern const struct sh_repeats_kernel sh_repeats_plain;
#if defined(__x86_64__)
extern const struct sh_repeats_kernel sh_repeats_avx512;
#endif

/* Returns variant i of the variants that this machine can run, the fastest
 * first; NULL after the last. */
const struct sh_repeats_kernel *sh_repeats_kernel_at(unsigned i);

#endif
