/* Weights that are doubles, in records of decimals, and their sums, for a system whose fingerprints
 * depend on rounding (yanyiwu/simhash).
 *
 * A weight x is stored as x * 2^e millionths, with one e for all weights of a document. e is 50:
 * weights from 4 to below 8192 then keep all their bits. e is smaller when the heaviest weight
 * would not fit in an int64_t. e is larger when the lightest weight would lose bits and the
 * heaviest leaves space. No e changes a bit of the fingerprint.
 *
 * Stored doubles of a document are whole numbers, and the heaviest is at least 2^52. Readers
 * recognise stored doubles by a weight of at least 2^46 millionths: plain decimals are lighter than
 * 2^46 millionths, which is about 70 million. */
#ifndef SH_WEIGHT_DOUBLES_H
#define SH_WEIGHT_DOUBLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weight/top.h"

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

#endif
