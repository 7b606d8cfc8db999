/* A join of two ranges of fingerprints by one plan; the inside of join.h.
 *
 * Levels nest: two buckets that hold too many candidates are a level of their own, planned
 * by their own bits less those that the levels above have used. A pair belongs to the
 * first block that finds it, on every level. A level may reorder its ranges but leaves
 * the word that they hold as it was. */
#ifndef SH_JOIN_LEVEL_H
#define SH_JOIN_LEVEL_H

#include "join/join.h"
#include "join/order.h"
#include "join/scan.h"

enum {
	SH_JOIN_HITS = 1024,
	SH_LEVEL_DEPTH = 8, /* levels that have blocks */
};

struct sh_join {
	unsigned bits, k, words;
	struct sh_join_limits limits;
	const struct sh_kernel *kernel;
	struct sh_side x, y, room;      /* copies of what is joined; y only for two sets */
	struct sh_side *lent;           /* in place of room, or NULL */
	struct sh_side part, part_room; /* a part of x in order, and what orders within it */
	sh_join_keep *keep;
	const void *keep_arg;
	bool self;
	sh_hits_fn *fn;
	void *ctx;
	struct sh_error *err;
	struct sh_level *top;
	size_t hits;
	struct sh_hit hit[SH_JOIN_HITS];
};

struct sh_range {
	struct sh_side *side;
	uint32_t lo, n;
};

struct sh_level {
	struct sh_join *join;
	const struct sh_level *parent;
	unsigned depth;
	bool self;   /* y is x */
	bool halves; /* halves may be the plan */
	struct sh_range x, y;
	unsigned k; /* distance left for the bits that no level above has used */
	struct sh_plan plan;
	unsigned at; /* the block being joined */
	/* The ranges are in order of the blocks before this one; those from it to `at` were joined
	 * in parts, in copies. */
	unsigned ordered;
	struct sh_side *room; /* to order in, and for short forms */
	unsigned short_shift;
	bool dense; /* of so many near pairs that neither parts nor short forms are of use */
	uint32_t *x_start, *y_start, *next, *flip;
	uint32_t flips;
	struct sh_earlier earlier[SH_LEVEL_DEPTH * SH_PLAN_BLOCKS];
	struct sh_scan scan;
};

/* Choose l->plan by a sample of the ranges. */
void sh_level_plan(struct sh_level *l);
/* Find the pairs of the ranges; -1 when memory or the receiver failed. */
int sh_level_join(struct sh_level *l);
/* Tell the scan of the blocks that come before the one being joined, on all levels, if it sees the
 * whole of fingerprints. */
void sh_level_list_earlier(struct sh_level *l);
/* Take the spots of the level's scan, ctx (see sh_scan.flush): those that are pairs of its block become
 * hits. false when the receiver failed. */
bool sh_level_take(void *ctx, const struct sh_spot *spot, size_t n);
/* Hand over the hits collected; false when the receiver failed. */
bool sh_join_send(struct sh_join *j);

#endif
