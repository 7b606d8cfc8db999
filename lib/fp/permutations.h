/* SPDX-License-Identifier: MIT */
/* MinHash signatures as the Python package datasketch computes them, bit for bit.
 *
 * A signature has one value for each permutation: the least permuted hash of the features. One
 * value of two signatures is equal with a probability of about the Jaccard similarity of the sets.
 * A permutation maps a hash h by two random numbers a and b, drawn from the seed:
 *
 *   affine32  a * f(h) + b modulo 2^32 for h of 32 bits, where f is the finalizer of
 *             MurmurHash3: the default of datasketch since 2.0.0
 *   affine64  the same with 64 bits instead of 32
 *   legacy    the last 32 bits of (a * h + b modulo 2^64) modulo 2^61 - 1, for h of 32 bits:
 *             the only scheme of datasketch before 2.0.0
 *
 * Functions take hashes of 64 bits. The hash of 32 bits is the last 32 bits. */
#ifndef SH_FP_PERMUTATIONS_H
#define SH_FP_PERMUTATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash/hash.h"
#include "published/published.h"

enum {
	SH_PERMUTATIONS_MAX = 1024, /* half of it for affine64 */
	/* Most hexadecimal digits of a signature in a record. */
	SH_SIGNATURE_DIGITS_MAX = 8 * SH_PERMUTATIONS_MAX,
};

struct sh_permutations;

/* The values of one document: `wide` when scheme->digits is 16, otherwise `narrow`. Only the first
 * n values of sh_permutations.n are set. */
struct sh_signature {
	union {
		uint32_t narrow[SH_PERMUTATIONS_MAX];
		uint64_t wide[SH_PERMUTATIONS_MAX / 2];
	} value;
};

struct sh_permutation_scheme {
	const char *name;
	unsigned digits; /* hexadecimal digits of a value in a record: 8 or 16 */
	/* Sets a and b of the first p->n permutations. */
	void (*draw)(struct sh_permutations *p, uint32_t seed);
	/* Replaces each value of *s by the permuted hash when the permuted hash is smaller. */
	void (*least)(const struct sh_permutations *p, uint64_t hash, struct sh_signature *s);
};

/* Returns scheme i, the default first; NULL after the last. */
const struct sh_permutation_scheme *sh_permutation_scheme_at(unsigned i);

/* Returns the scheme of this name, or NULL. */
const struct sh_permutation_scheme *sh_permutation_scheme_find(const char *name);

struct sh_permutations {
	const struct sh_permutation_scheme *scheme;
	unsigned n;
	uint64_t a[SH_PERMUTATIONS_MAX], b[SH_PERMUTATIONS_MAX];
};

/* Draws n permutations, n >= 1. n * scheme->digits is at most SH_SIGNATURE_DIGITS_MAX. Cannot fail.
 * Nothing is to be freed. Threads may then share *p. */
void sh_permutations_init(struct sh_permutations *p, const struct sh_permutation_scheme *scheme,
    unsigned n, uint32_t seed);

/* Computes the signature from the hashes of n features. When n is 0, all bits of all values are 1,
 * and hash may be NULL. */
void sh_permutations_sign(
    const struct sh_permutations *p, const uint64_t *hash, size_t n, struct sh_signature *s);

/* Computes the signature of a document without features. Returns true; or false when the rule gives
 * no signature: SH_EMPTY_SKIP, SH_EMPTY_ERROR. hash: for SH_EMPTY_TEXT only, which uses its first
 * 64 bits with seed 0. */
bool sh_permutations_empty(const struct sh_permutations *p, enum sh_empty rule,
    const struct sh_hash *hash, struct sh_signature *s);

/* Writes the digits of all values to out[SH_SIGNATURE_DIGITS_MAX], without a final NUL.
 * Returns the number of bytes. */
size_t sh_permutations_print(
    const struct sh_permutations *p, const struct sh_signature *s, char *out);

#endif
