/* Sums of fractional weights as simhash 2.1.2 (PyPI) computes them: doubles, rounded in the
 * order in which its numpy adds. When all weights are whole numbers, exact sums give the same
 * bits. */
#ifndef SH_WEIGHT_ROUNDED_H
#define SH_WEIGHT_ROUNDED_H

#include <stdbool.h>
#include <stdint.h>

enum { SH_ROUNDED_BITS = 128 };

/* Zeroed: no features. */
struct sh_rounded {
	double total,
	    sum[SH_ROUNDED_BITS]; /* total: all weights; sum: by bit, of features that have the bit */
	/* Features of small whole weights are summed here first, and added batch by batch. */
	double batch[SH_ROUNDED_BITS];
	unsigned in_batch;
	bool fraction; /* some weight is not a whole number */
};

/* Adds a feature with its hash of `bits` bits, bit 0 the most significant, and its weight in
 * millionths. */
void sh_rounded_add(struct sh_rounded *r, const uint64_t *hash, unsigned bits, int64_t millionths);

/* Stores the bits whose sum is more than half of the total. */
void sh_rounded_finish(struct sh_rounded *r, unsigned bits, uint64_t *out);

#endif
