/* Weights that are doubles, in records of decimals, and their sums: where rounding decides about a
 * bit (yanyiwu/simhash).
 *
 * All weights of a document are multiplied by one power of two and then written as so many
 * millionths. It is 2^50, by which a weight from 4 to below 8192 keeps all its bits; a smaller one
 * where the heaviest does not fit, a larger one where the lightest would lose bits and the heaviest
 * leaves room. No power of two changes a bit of the fingerprint.
 *
 * Who reads tells such weights from decimals of other origin by the heaviest: it has 2^46
 * millionths or more. */
#ifndef SH_WEIGHT_DOUBLES_H
#define SH_WEIGHT_DOUBLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weight/top.h"

/* A number that orders as the double does, which is not negative. */
int64_t sh_double_key(double x);

/* Of n weights of one document, finite and given by their keys, the weights of records. */
void sh_doubles_write(struct sh_heavy *f, size_t n);

/* Sums of a document's weights, added in order. Zeroed: no features. */
struct sh_doubles {
	double decimal[64], scaled[64]; /* bit 0 first, by what the weights are */
	bool is_scaled;
	size_t n;
};

/* A feature with the first word of its hash, and its record's weight. */
void sh_doubles_add(struct sh_doubles *d, uint64_t hash, int64_t millionths);

/* The bits whose sum is above 0. */
uint64_t sh_doubles_finish(const struct sh_doubles *d);

#endif
