/* The inner loop of a join: candidates of one block, compared 32 at a time.
 *
 * Two sides x and y are ordered by a key of some bits: bucket v of x is at positions
 * x_start[v] .. x_start[v+1]-1. Each bucket of x meets the buckets of y whose key is v
 * with the bits of a flip inverted; in a self-join (y is x), each two buckets meet
 * once, and a bucket meets itself. What is compared is one 64-bit word of each
 * fingerprint; a pair of positions whose words differ in at most k bits is a spot, unless
 * an earlier block has found it.
 *
 * Spots come in an order that does not depend on the kernel. */
#ifndef SH_JOIN_SCAN_H
#define SH_JOIN_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"
#include "join/near.h"

enum {
	SH_SCAN_TILE = 32,    /* words compared at once; both sides are readable so far beyond */
	SH_SCAN_NEAR = 2048,  /* words of neighbour buckets collected for one sweep */
	SH_SCAN_OTHERS = 256, /* neighbour buckets listed at once */
	SH_SCAN_SPOTS = 4096,
	SH_SCAN_AHEAD = 8, /* spots written at once */
};

struct sh_spot {
	uint32_t x, y;
};

/* A block that was joined before: it found what differs in at most `radius` bits of its mask. */
struct sh_earlier {
	uint64_t mask;
	unsigned radius;
};

struct sh_scan {
	const uint64_t *x, *y;
	/* For a short scan: of each word 32 bits that differ as much as all do. What they tell
	 * apart is not looked at. */
	const uint32_t *x32, *y32;
	const uint32_t *x_start, *y_start;
	uint32_t first, buckets; /* from the first on those below `buckets` are scanned */
	const uint32_t *flip;    /* flip[0] = 0 */
	uint32_t flips;
	bool self;
	unsigned k;
	const struct sh_earlier *earlier;
	unsigned earlier_n;
	uint64_t limit; /* two buckets of more candidates go to large() instead */
	/* Take the spots. false ends the scan. */
	bool (*flush)(void *ctx, const struct sh_spot *spot, size_t n);
	/* Join buckets v of x and u of y; may reorder within them. false ends the scan. */
	bool (*large)(void *ctx, uint32_t v, uint32_t u);
	/* NULL, or, without flips: put bucket v of x in order, for two spots of it depend on that. No
	 * spot of v that was found before waits to be taken. */
	void (*settle)(void *ctx, uint32_t v);
	void *ctx;

	uint64_t near_pairs; /* found: the spots, and what earlier blocks have found */
	/* The kernel's own. */
	bool ended, several;
	size_t spots, pieces;
	uint32_t near_n;
	struct sh_spot spot[SH_SCAN_SPOTS + SH_SCAN_AHEAD];
	union {
		uint64_t near[SH_SCAN_NEAR + SH_SCAN_TILE];
		uint32_t near32[SH_SCAN_NEAR + SH_SCAN_TILE];
	};
	/* Where in `near` each bucket begins, and where it came from. */
	uint32_t piece_at[SH_SCAN_NEAR + 1], piece_from[SH_SCAN_NEAR + 1];
};

struct sh_kernel {
	struct sh_variant variant;
	/* Scan every bucket; s->ended tells whether flush or large ended it early. */
	void (*scan)(struct sh_scan *s);
	/* The same by short forms, NULL where that is no faster; and how they are made: 32 bits from
	 * bit `shift` on, upwards, the first bit following the last. */
	void (*scan_short)(struct sh_scan *s);
	void (*shorten)(uint32_t *to, const uint64_t *word, size_t n, unsigned shift);
	sh_near_scan *near;
	unsigned (*distance)(const uint64_t *a, const uint64_t *b, unsigned words);
};

/* The rows that this machine can run, fastest first; NULL after the last. */
const struct sh_kernel *sh_kernel_at(unsigned i);

/* The fastest, or the one of this name; NULL when it is unknown or cannot run here. */
const struct sh_kernel *sh_kernel_find(const char *name);

#endif
