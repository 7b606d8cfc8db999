/* The inner loop of a join: compares the candidates of one block, 32 at a time.
 *
 * Both sides, x and y, are ordered by a key of some bits. Bucket v of x is at positions
 * x_start[v] .. x_start[v+1]-1. Each bucket v of x is compared with the buckets v ^ flip[i] of y.
 * In a self-join y is x; each two buckets are compared once, and each bucket with itself.
 *
 * One 64-bit word of each fingerprint is compared. A match is two positions whose words differ in
 * at most k bits, unless an earlier block has found it. The order of matches does not depend on the
 * kernel. */
#ifndef SH_JOIN_SCAN_H
#define SH_JOIN_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

enum {
	SH_SCAN_TILE =
	    32, /* words compared at once; each side is readable this far beyond its end */
	SH_SCAN_GATHERED = 2048, /* words of neighbour buckets that are compared in one sweep */
	SH_SCAN_LISTED = 256,    /* neighbour buckets listed at once */
	SH_SCAN_MATCHES = 4096,
	/* matches that one store writes; the next store overwrites matches that are not valid */
	SH_SCAN_STORED = 8,
};

/* A position in x and one in y. */
struct sh_scan_match {
	uint32_t x, y;
};

/* An earlier block: it found all pairs that differ in at most `radius` bits of its mask. */
struct sh_earlier {
	uint64_t mask;
	unsigned radius;
};

struct sh_scan {
	const uint64_t *x, *y;
	const uint32_t *x_start, *y_start;
	uint32_t from, to; /* buckets from .. to-1 of x are compared */
	/* Two positions of one bucket are compared unless both are below this one. */
	uint32_t within;
	const uint32_t *flip; /* flip[0] = 0 */
	uint32_t flips;
	bool self;
	unsigned k;
	const struct sh_earlier *earlier;
	unsigned earlier_n;
	uint64_t limit; /* a pair of buckets with more candidates goes to large() */
	/* Receives n >= 1 matches. Returning false ends the scan. */
	bool (*flush)(void *ctx, const struct sh_scan_match *match, size_t n);
	/* Joins bucket v of x and bucket u of y; may reorder both. Returning false ends the
	 * scan. */
	bool (*large)(void *ctx, uint32_t v, uint32_t u);
	void *ctx;

	/* The kernel's own. */
	bool ended;
	size_t matches, pieces;
	uint32_t gathered_n;
	struct sh_scan_match match[SH_SCAN_MATCHES + SH_SCAN_STORED];
	uint64_t gathered[SH_SCAN_GATHERED + SH_SCAN_TILE];
	/* Piece i, one bucket, begins at gathered[piece_at[i]]; its first word is
	 * y[piece_from[i]]. */
	uint32_t piece_at[SH_SCAN_GATHERED + 1], piece_from[SH_SCAN_GATHERED + 1];
};

/* Scans for join/halves.h; see join/near.h. */
struct sh_near;
typedef void sh_near_scan(struct sh_near *s);

struct sh_kernel {
	struct sh_variant variant;
	/* Scans the buckets. s->ended is true when flush() or large() ended the scan early. */
	void (*scan)(struct sh_scan *s);
	sh_near_scan *near;
	/* Returns the Hamming distance of two fingerprints. */
	unsigned (*distance)(const uint64_t *a, const uint64_t *b, unsigned words);
};

/* Returns row i of the kernels that this machine can run, fastest first; NULL after the last. */
const struct sh_kernel *sh_kernel_at(unsigned i);

/* Returns the kernel of this name, or for NULL the fastest. Returns NULL when the name is unknown
 * or the processor lacks the instructions. */
const struct sh_kernel *sh_kernel_find(const char *name);

#endif
