/* SPDX-License-Identifier: MIT */
/* Hashes of texts under a random key: without the key, nobody can write two texts that collide.
 *
 * A hash is a sum of products (multilinear, Lemire and Kaser 2014). SipHash derives the factors
 * from the key. Each hash is made of two sums modulo 2^64 with different factors: the upper half of
 * each sum is 32 bits of the hash.
 *
 *   text of at most 16 bytes   first term + each of the text's four words of 32 bits, padded with
 *                              zeros, and its length in bytes, times its factor
 *   longer text                sh_keyed_text()
 *   row of n hashes, n = 2..8  first term for n + each of the 2n halves, times its factor
 *
 * Two given texts collide under a random key with probability 2^-64, and so do two different rows.
 * So rows of hashes of different texts collide with probability at most 2^-63. The upper bits of
 * two hashes of different texts agree no more often than random bits do.
 *
 * All kernels give the same hashes: t/unit/test_variants.c compares them. */
#ifndef SH_HASH_KEYED_H
#define SH_HASH_KEYED_H

#include "base/slice.h"
#include "base/variant.h"
#include "base/wide.h"

#include <stddef.h>
#include <stdint.h>

enum {
	SH_KEYED_WORDS = 16,   /* words of 8 bytes; SipHash hashes longer texts */
	SH_KEYED_SHORT = 16,   /* most bytes of a short text */
	SH_KEYED_ROW_MAX = 8,  /* most hashes of a row */
	SH_KEYED_PADDING = 16, /* bytes that must be readable beyond a text */
	SH_KEYED_PARTS = 5,    /* parts of a short text: four words and the length */
};

/* The factors of one sum, and its first terms: text_first, and row_first[n] for
 * rows of n hashes. */
struct sh_keyed_sum {
	uint64_t text[SH_KEYED_PARTS], text_first;
	uint64_t row[2 * SH_KEYED_ROW_MAX], row_first[SH_KEYED_ROW_MAX + 1];
};

struct sh_keyed {
	uint64_t key[2];                         /* for SipHash */
	struct sh_wide wide[SH_KEYED_WORDS + 2]; /* factors of words and length, first term */
	struct sh_keyed_sum sum[2];
};

void sh_keyed_init(struct sh_keyed *k, const uint64_t key[2]);

/* Returns the hash of a text of more than SH_KEYED_SHORT bytes: at most 128 bytes, the upper half
 * of one sum modulo 2^128 over words of 8 bytes; longer, SipHash. Reads at most 7 bytes beyond the
 * text. Archives hold these hashes, so they never change. */
uint64_t sh_keyed_text(const struct sh_keyed *k, struct sh_slice text);

struct sh_keyed_kernel {
	struct sh_variant variant;
	/* Sets h[i] to the hash of the bytes start[i] .. end[i] - 1 of text, for n ranges. Ranges
	 * may overlap. SH_KEYED_PADDING bytes beyond each range must be readable. */
	void (*texts)(const struct sh_keyed *k, const char *text, const uint32_t *start,
	    const uint32_t *end, size_t n, uint64_t *restrict h);
	/* Sets out[i] to the hash of the row h[i] .. h[i + n - 1], for all hashes - n + 1 rows. 2
	 * <= n <= SH_KEYED_ROW_MAX, n <= hashes. */
	void (*rows)(const struct sh_keyed *k, const uint64_t *restrict h, size_t hashes,
	    unsigned n, uint64_t *restrict out);
};

extern const struct sh_keyed_kernel sh_keyed_plain;

/* Returns kernel i of the kernels that this machine can run, the fastest first;
 * NULL after the last. */
const struct sh_keyed_kernel *sh_keyed_kernel_at(unsigned i);

/* ---- for kernels: one at a time ---------------------------------------------------------- */

/* Returns the hash of a short text: a is its first 8 bytes, b the next 8, padded with zeros. n
 * is its length in bytes. */
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

/* Returns the hash of a row of n hashes. */
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
