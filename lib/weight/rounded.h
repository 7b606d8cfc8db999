/* Sums of fractional weights as simhash 2.1.2 (PyPI) computes them: doubles, added in the order in
 * which its numpy adds. When all weights are whole numbers, exact sums give the same bits. */
#ifndef SH_WEIGHT_ROUNDED_H
#define SH_WEIGHT_ROUNDED_H

#include <stdbool.h>
#include <stdint.h>

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
