/* Sums of weights with fractions as simhash 2.1.2 (PyPI) gets them: doubles, rounded in the order in
 * which that program has numpy add. Where all weights are whole, exact sums are the same. */
#ifndef SH_WEIGHT_ROUNDED_H
#define SH_WEIGHT_ROUNDED_H

#include <stdbool.h>
#include <stdint.h>

enum { SH_ROUNDED_BITS = 128 };

/* Zeroed: no features. */
struct sh_rounded {
	double total,
	    sum[SH_ROUNDED_BITS]; /* all weights; those of the features with the bit set */
	/* Features of small whole weights are summed up apart, and added by the batch. */
	double batch[SH_ROUNDED_BITS];
	unsigned in_batch;
	bool fraction; /* some weight is no whole number */
};

/* A feature with its hash of so many bits, bit 0 the most significant, and weight in millionths. */
void sh_rounded_add(struct sh_rounded *r, const uint64_t *hash, unsigned bits, int64_t millionths);

/* The bits whose sum is more than half of the total. */
void sh_rounded_finish(struct sh_rounded *r, unsigned bits, uint64_t *out);

#endif
