/* Hashes of texts under a random key. They serve where nobody must be able to write two texts that collide.
 *
 * A hash is a sum of products (multilinear, Lemire and Kaser 2014). SipHash derives its keys from the given
 * key:
 *
 *   text of up to 16 bytes   its four words of 32 bits, padded with zeros, and its length, each times a
 *                            key of 64 bits, plus another key, modulo 2^64; twice, with different keys;
 *                            the upper halves of both sums are the hash
 *   longer text              sh_keyed_text()
 *   n hashes, 2 <= n <= 8    the 2 n halves of these, in the same way, with separate keys for each n
 *
 * Two given texts collide under a random key with probability 2^-64, and so do two different rows of
 * hashes. So rows of different texts collide with probability at most 2^-63. The upper bits of two hashes
 * agree no more often than random bits do.
 *
 * All kernels give the same hashes; t/unit/test_variants.c checks it. */
#ifndef SH_HASH_KEYED_H
#define SH_HASH_KEYED_H

#include "base/slice.h"
#include "base/variant.h"
#include "base/wide.h"

#include <stddef.h>
#include <stdint.h>

enum {
	SH_KEYED_WORDS = 16,   /* words of 8 bytes; longer texts are hashed by SipHash */
	SH_KEYED_SHORT = 16,   /* most bytes of a short text */
	SH_KEYED_ROW_MAX = 8,  /* most hashes of a row */
	SH_KEYED_PADDING = 16, /* bytes that must be readable beyond a text */
	SH_KEYED_PARTS = 5,    /* parts of a short text: four words and the length */
};

/* The keys of one sum, and its first term. */
struct sh_keyed_sum {
	uint64_t text[SH_KEYED_PARTS], text_first;
	uint64_t row[2 * SH_KEYED_ROW_MAX], row_first[SH_KEYED_ROW_MAX + 1];
};

struct sh_keyed {
	uint64_t key[2];
	/* keys of the words, key of the length, first term */
	struct sh_wide wide[SH_KEYED_WORDS + 2];
	struct sh_keyed_sum sum[2];
};

void sh_keyed_init(struct sh_keyed *k, const uint64_t key[2]);

/* Returns the hash of a longer text: the upper half of one sum of 128 bits over its words of 8
 * bytes; beyond 128 bytes SipHash. Archives hold such hashes: they are the same in every
 * version. */
uint64_t sh_keyed_text(const struct sh_keyed *k, struct sh_slice text);

struct sh_keyed_kernel {
	struct sh_variant variant;
	/* Hashes n ranges of one text, which may overlap: range i is the bytes start[i] ..
	 * end[i] - 1. */
	void (*texts)(const struct sh_keyed *k, const char *text, const uint32_t *start,
	    const uint32_t *end, size_t n, uint64_t *restrict h);
	/* Hashes all rows of n successive hashes, in order; 2 <= n <= SH_KEYED_ROW_MAX, n <= hashes. */
	void (*rows)(const struct sh_keyed *k, const uint64_t *restrict h, size_t hashes,
	    unsigned n, uint64_t *restrict out);
};

extern const struct sh_keyed_kernel sh_keyed_plain;

/* Returns row i of the kernels that this machine can run, fastest first; NULL after the last. */
const struct sh_keyed_kernel *sh_keyed_kernel_at(unsigned i);

/* ---- for kernels: one at a time ---------------------------------------------------------- */

/* Returns the hash of a short text from its two words and its length in bytes. */
static inline uint64_t sh_keyed_short(const struct sh_keyed *k, uint64_t a, uint64_t b, uint64_t n)
{
	const struct sh_keyed_sum *s = k->sum;
	uint64_t sum[2];

	for (unsigned i = 0; i < 2; i++)
		sum[i] = s[i].text_first + s[i].text[0] * (a & UINT32_MAX) +
			 s[i].text[1] * (a >> 32) + s[i].text[2] * (b & UINT32_MAX) +
			 s[i].text[3] * (b >> 32) + s[i].text[4] * n;
	return (sum[0] & ~(uint64_t)UINT32_MAX) | sum[1] >> 32;
}

static inline uint64_t sh_keyed_row(const struct sh_keyed *k, const uint64_t *h, unsigned n)
{
	const struct sh_keyed_sum *s = k->sum;
	uint64_t sum[2] = { s[0].row_first[n], s[1].row_first[n] };

	for (unsigned j = 0; j < n; j++)
		for (unsigned i = 0; i < 2; i++)
			sum[i] += s[i].row[2 * j] * (h[j] & UINT32_MAX) +
				  s[i].row[2 * j + 1] * (h[j] >> 32);
	return (sum[0] & ~(uint64_t)UINT32_MAX) | sum[1] >> 32;
}

#endif
