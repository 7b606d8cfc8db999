/* SPDX-License-Identifier: MIT */
/* Weights and sums of two systems whose fingerprints depend on the rounding of doubles: yanyiwu and
 * pysimhash. */
#ifndef SH_PUBLISHED_SUMS_H
#define SH_PUBLISHED_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A feature of a document. */
struct sh_heavy {
	int64_t weight;
	uint32_t index; /* of the feature, for the caller */
};

/* ---- yanyiwu ----
 *
 * Weights that are doubles, in records of decimals, and their sums, added in the order of the
 * features.
 *
 * A weight x is stored as x * 2^e millionths, with one e for all weights of a document. e is 50:
 * weights from 4 to below 8192 then keep all their bits. e is smaller when the heaviest weight
 * would not fit in an int64_t. e is larger when the lightest weight would lose bits and the
 * heaviest leaves space. No e changes a bit of the fingerprint.
 *
 * Stored doubles of a document are whole numbers, and the heaviest is at least 2^52. Readers
 * recognise stored doubles by a weight of at least 2^46 millionths: plain decimals are lighter than
 * 2^46 millionths, which is about 70 million. */

/* Returns an integer key of x >= 0: keys order as their doubles do. */
int64_t sh_double_key(double x);

/* Converts the weights of all n features of a document for records. On entry each weight is the
 * sh_double_key() of a finite double x. Afterwards it is x * 2^e, rounded. */
void sh_doubles_write(struct sh_heavy *f, size_t n);

/* The bit sums of a document, added in the order of the features. Bit 0 is the most
 * significant. Zeroed: no features. */
struct sh_doubles {
	double decimal[64]; /* if records have plain decimals */
	double scaled[64];  /* if records have stored doubles */
	bool is_scaled;     /* a weight is at least 2^46: `scaled` counts */
	size_t n;           /* features */
};

/* Adds a feature: the first word of its hash, and the weight of its record. */
void sh_doubles_add(struct sh_doubles *d, uint64_t hash, int64_t millionths);

/* Returns the bits: 1 where the bit sum is above 0. */
uint64_t sh_doubles_finish(const struct sh_doubles *d);

/* Moves the n heaviest of `all` features to the front, the heaviest first. Returns n or all,
 * whichever is less. Chooses and orders equally heavy features as std::partial_sort of GNU's C++
 * library does. The result depends on the order of f. */
size_t sh_top_heap(struct sh_heavy *f, size_t all, size_t n);

/* ---- pysimhash ----
 *
 * Sums of fractional weights as simhash 2.1.2 (PyPI) computes them: doubles, added in the order in
 * which its numpy adds. When all weights are whole numbers, exact sums give the same bits. */

enum { SH_ROUNDED_BITS = 128 };

/* Zeroed: no features. */
struct sh_rounded {
	double total;                /* of all weights */
	double sum[SH_ROUNDED_BITS]; /* by bit: weights of the features whose hash has the bit */
	/* Whole weights of at most 50 are summed here, and added to sum[] 200
	 * features at a time. */
	double batch[SH_ROUNDED_BITS];
	unsigned in_batch; /* features in batch[] */
	bool fraction;     /* a weight is not a whole number */
};

/* Adds a feature: its hash of `bits` bits, at most SH_ROUNDED_BITS, and its weight in millionths,
 * at least 0. Bit 0 is the most significant bit of hash[0]. */
void sh_rounded_add(struct sh_rounded *r, const uint64_t *hash, unsigned bits, int64_t millionths);

/* Stores a fingerprint: a bit is 1 when its sum is more than half of the total. */
void sh_rounded_finish(struct sh_rounded *r, unsigned bits, uint64_t *out);

#endif
