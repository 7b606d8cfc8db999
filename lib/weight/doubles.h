/* Weights that are doubles, written as decimals, and their sums, for a system whose fingerprints
 * depend on rounding (yanyiwu/simhash).
 *
 * All weights of a document are multiplied by one power of two and then written in millionths.
 * The power is 2^50: weights from 4 to below 8192 then keep all their bits. It is smaller when
 * the heaviest weight would not fit. It is larger when the lightest weight would lose bits and
 * the heaviest leaves space. No power of two changes a bit of the fingerprint.
 *
 * Readers recognise such weights by the heaviest one, which is at least 2^46 millionths. */
#ifndef SH_WEIGHT_DOUBLES_H
#define SH_WEIGHT_DOUBLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weight/top.h"

/* Returns a number that orders as the double does; x >= 0. */
int64_t sh_double_key(double x);

/* Turns n weights of one document, finite and given as sh_double_key(), into weights of records. */
void sh_doubles_write(struct sh_heavy *f, size_t n);

/* The sums of a document's weights, added in order. Zeroed: no features. */
struct sh_doubles {
	double decimal[64], scaled[64]; /* bit 0 first; for decimals, and for scaled weights */
	bool is_scaled;
	size_t n;
};

/* Adds a feature: the first word of its hash, and the weight of its record. */
void sh_doubles_add(struct sh_doubles *d, uint64_t hash, int64_t millionths);

/* Returns the bits whose sum is above 0. */
uint64_t sh_doubles_finish(const struct sh_doubles *d);

#endif
