/* SPDX-License-Identifier: MIT */
/* The plan of a join: blocks, radii and key bits, chosen by an estimate of the time.
 *
 * The estimate uses the probability that two fingerprints agree on each bit, and assumes
 * independent bits. Dependent bits make larger buckets than estimated. A plan of its own is then
 * made for such a bucket (join/join.c). */
#ifndef SH_BAND_PLAN_H
#define SH_BAND_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "record/fingerprint.h"

enum {
	SH_PLAN_BLOCKS = 64,   /* most blocks */
	SH_PLAN_KEY_BITS = 24, /* most key bits: 2^24 bucket offsets are 64 MiB */
};

/* A block, as the bits of its key: bits of one word of the fingerprint. Two candidates differ in at
 * most `radius` of these bits. */
struct sh_block {
	unsigned word; /* index, from 0 */
	uint64_t mask; /* ones at the bits of the key, in the word */
	unsigned bits; /* of the mask */
	unsigned radius;
	double candidates; /* expected comparisons */
	double seconds;    /* expected */
};

/* Without blocks every pair is compared. */
struct sh_plan {
	unsigned blocks;
	struct sh_block block[SH_PLAN_BLOCKS]; /* sum(radius + 1) = k + 1 */
	double candidates, seconds;            /* expected, on one core with AVX-512 */
};

/* The sets to be joined. */
struct sh_plan_sets {
	unsigned bits, k;
	double nx, ny;       /* fingerprints on each side */
	bool self;           /* y is x: each pair counts once */
	double brute_factor; /* multiplies the time for a comparison of every pair; usually 1 */
	/* Probability that two fingerprints agree on each bit; 0.5: not known. Bit 0 is the most
	 * significant bit of word 0. No block has a bit above 0.999. */
	double agree[SH_FP_MAX_BITS];
};

/* Sets *plan to the cheapest plan. It uses no library functions on doubles: the plan is the same on
 * every machine. */
void sh_plan(struct sh_plan *plan, const struct sh_plan_sets *task);

#endif
