/* MinHash signatures as the Python package datasketch computes them, bit for bit.
 *
 * A signature has one value of 32 bits for each permutation: the least permuted hash of the features.
 * Two signatures agree in one value with a probability of about the Jaccard similarity of the sets.
 * A hash h of 32 bits is permuted by two random numbers a and b (sh_mt19937, drawn by the seed):
 *
 *   affine32  a * f(h) + b modulo 2^32, where f is the finalizer of MurmurHash3: the default of
 *             datasketch since 2.0.0
 *   legacy    the last 32 bits of (a * h + b modulo 2^64) modulo 2^61 - 1: the only scheme of
 *             datasketch before 2.0.0 */
#ifndef SH_FP_PERMUTATIONS_H
#define SH_FP_PERMUTATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fp/profile.h"
#include "hash/hash.h"

enum {
	SH_PERMUTATIONS_MAX = 1024,
	SH_SIGNATURE_DIGITS = 8, /* hexadecimal digits of one value in a record */
};

struct sh_permutations;

struct sh_permutation_scheme {
	const char *name;
	void (*draw)(struct sh_permutations *p, uint32_t seed);
	uint32_t (*prepare)(uint32_t hash);
	void (*least)(const struct sh_permutations *p, uint32_t hash, uint32_t *value);
};

/* Returns row i of the table of schemes, the default first; NULL after the last row. */
const struct sh_permutation_scheme *sh_permutation_scheme_at(unsigned i);

/* Returns NULL when no scheme has this name. */
const struct sh_permutation_scheme *sh_permutation_scheme_find(const char *name);

struct sh_permutations {
	const struct sh_permutation_scheme *scheme;
	unsigned n;
	uint64_t a[SH_PERMUTATIONS_MAX], b[SH_PERMUTATIONS_MAX];
};

/* Draws n permutations, 1 <= n <= SH_PERMUTATIONS_MAX. */
void sh_permutations_init(struct sh_permutations *p, const struct sh_permutation_scheme *scheme,
    unsigned n, uint32_t seed);

/* Fills p->n values from the hashes of the features. Only the last 32 bits of a hash count. All bits of
 * all values are 1 when there is no hash. */
void sh_permutations_sign(
    const struct sh_permutations *p, const uint64_t *hash, size_t n, uint32_t *value);

/* Fills the signature that the rule gives to a document without features. Returns false when the rule
 * gives none. */
bool sh_permutations_empty(const struct sh_permutations *p, enum sh_empty rule,
    const struct sh_hash *hash, uint32_t *value);

/* Writes SH_SIGNATURE_DIGITS digits for each value. Returns the number of bytes. */
size_t sh_permutations_print(const struct sh_permutations *p, const uint32_t *value, char *out);

#endif
