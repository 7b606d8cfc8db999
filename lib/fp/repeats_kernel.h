/* The steps of repeats.c for at most SH_REPEATS_SHORT hashes, in one variant for each processor.
 *
 * Hashes are distributed to the slots of a table. table[slot] is the index of the first hash of the slot.
 * Any other hash of the slot is a later hash: it repeats the first one, or it is another hash and collides
 * with the first one. Indexes and slots have 16 bits, so that all data stay in the first-level cache.
 *
 * All variants find the same hashes, in any order: t/unit/test_variants.c compares them. */
#ifndef SH_FP_REPEATS_KERNEL_H
#define SH_FP_REPEATS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* SH_REPEATS_SHORT hashes have at most 2^16 slots. A variant may write SH_REPEATS_SLACK elements
 * after the last one of an array. */
enum { SH_REPEATS_SHORT = 1 << 14, SH_REPEATS_SLACK = 32 };

struct sh_repeats_found {
	uint64_t *hash;  /* from count(): the repeated hashes; from once(): each hash once */
	uint32_t *count; /* occurrences of each, at least 2; not written by once() */
	size_t n;
	uint64_t *collided; /* each later hash that collides with the first hash of its slot */
	size_t n_collided;
};

struct sh_repeats_kernel {
	struct sh_variant variant;
	/* Writes the slot, below 1 << bits, of each of n hashes. The key is odd and random. The slot
	 * depends only on the upper half of a hash, so one product of 32 bits gives it: hashes with equal
	 * upper halves collide. */
	void (*slots)(const uint64_t *hash, size_t n, unsigned bits, uint64_t key, uint16_t *slot);
	/* Writes the index of each later hash to later[], and the index of the first hash of its slot to
	 * first[]. Overwrites `slot`. Returns the number of later hashes. */
	size_t (*later)(uint16_t *restrict slot, const uint16_t *restrict table, size_t n,
	    uint16_t *restrict later, uint16_t *restrict first);
	/* Counts the later hashes that repeat the first hash of their slot. `more` has room for n elements.
	 * Overwrites `later` and `first`. */
	void (*count)(const uint64_t *hash, size_t n, uint16_t *restrict later,
	    uint16_t *restrict first, size_t n_later, uint16_t *restrict more,
	    struct sh_repeats_found *found);
	/* Replaces later() and count() where counts are not needed: writes the first hash of each slot.
	 * `later` and `first` have room for n elements. Overwrites `slot`. */
	void (*once)(const uint64_t *hash, size_t n, uint16_t *restrict slot,
	    const uint16_t *restrict table, uint16_t *restrict later, uint16_t *restrict first,
	    struct sh_repeats_found *found);
};

extern const struct sh_repeats_kernel sh_repeats_plain;
#if defined(__x86_64__)
extern const struct sh_repeats_kernel sh_repeats_avx512;
#endif

/* Returns variant number i of those that this machine can run, the fastest first; NULL after the
 * last one. */
const struct sh_repeats_kernel *sh_repeats_kernel_at(unsigned i);

#endif
