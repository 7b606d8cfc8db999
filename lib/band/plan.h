/* How a join goes: blocks, radii and key bits, chosen by an estimate of the time.
 *
 * The estimate knows of each bit how often two fingerprints agree on it, and takes
 * bits for independent. Where they are not, buckets grow larger than foreseen; each
 * such bucket is planned anew, from its own bits (see join/level.c). */
#ifndef SH_BAND_PLAN_H
#define SH_BAND_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "record/fingerprint.h"

enum {
	SH_PLAN_BLOCKS = 64,
	SH_PLAN_KEY_BITS = 24, /* at most: 2^24 bucket offsets are 64 MiB */
};

/* Bits of one word of the fingerprint, to be met with at most `radius` of them different. */
struct sh_block {
	unsigned word;
	uint64_t mask;
	unsigned bits; /* of the mask */
	unsigned radius;
	double candidates; /* expected comparisons */
	double seconds;    /* expected */
};

/* With no blocks every pair is compared. */
struct sh_plan {
	unsigned blocks;
	bool even;                              /* all 64 bits of a word tell as much as any */
	bool halves;                            /* two blocks, as join/halves.h joins them */
	struct sh_block block[SH_PLAN_BLOCKS];  /* sum(radius + 1) = k + 1 */
	double candidates, seconds;             /* expected, of one core with AVX-512 */
	double brute_candidates, brute_seconds; /* of comparing every pair */
};

/* What is to be joined. */
struct sh_task {
	unsigned bits, k;
	double nx, ny;       /* fingerprints on each side */
	bool self;           /* y is x: each pair once */
	double brute_factor; /* on the time that comparing every pair takes: 1 */
	double halves;       /* so many may be joined by halves; 0 for none */
	bool halve;          /* however uneven they are */
	/* Chance that two fingerprints agree on each bit, 0.5 when nothing is known; 1 excludes it. */
	double agree[SH_FP_MAX_BITS];
};

/* The cheapest plan. Arithmetic on doubles without library functions, so that it is the
 * same everywhere. */
void sh_plan(struct sh_plan *plan, const struct sh_task *task);

#endif
