/* SPDX-License-Identifier: MIT */
/* The inner loop of a join: compares the fingerprints of neighbouring buckets.
 *
 * Two sides, x and y, are ordered by a key of some bits (join/side.h). Bucket v of x is compared
 * with the buckets v ^ flip[i] of y. In a self-join y is x; each two buckets are compared once, and
 * each bucket with itself.
 *
 * One word of each fingerprint is compared. A match is a position in x and one in y whose words
 * differ in at most k bits. All kernels find the same matches in the same order. They may report
 * some positions whose words differ in more bits, too. */
#ifndef SH_JOIN_SCAN_H
#define SH_JOIN_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/variant.h"

/* Words compared at once. Both sides must be readable this far beyond their ends. */
enum { SH_SCAN_TILE = 32 };

struct sh_scan {
	const uint64_t *x, *y;
	uint32_t *x_start, *y_start; /* bucket v of x is x_start[v] .. x_start[v + 1] - 1 */
	uint32_t *flip;              /* flip[0] is 0 */
	uint32_t flips;
	bool self;
	unsigned k;
	uint64_t limit;   /* two buckets with more candidates go to large() */
	uint32_t largest; /* elements of the largest bucket of y */
	/* Receives a match. Returns false to end the scan. */
	bool (*match)(void *ctx, uint32_t x, uint32_t y);
	/* Joins bucket v of x and bucket u of y in another way. Returns false to end the scan. */
	bool (*large)(void *ctx, uint32_t v, uint32_t u);
	void *ctx;
};

struct sh_kernel {
	struct sh_variant variant;
	/* Scans the tiles of x that begin at positions from .. to-1. Tiles begin at the multiples
	 * of SH_SCAN_TILE in their bucket. v: the bucket of `from`. Returns false when match() or
	 * large() did. */
	bool (*scan)(const struct sh_scan *s, uint32_t v, uint32_t from, uint32_t to);
};

/* Returns row i of the kernels that this processor can run, fastest first; NULL after the last. */
const struct sh_kernel *sh_kernel_at(unsigned i);

#endif
