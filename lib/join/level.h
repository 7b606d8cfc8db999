/* A join of two ranges of fingerprints by one plan; the inside of join.h.
 *
 * Levels nest: two buckets that hold too many candidates become a level of their own. Its plan uses
 * the bits that the levels above have not used. A pair belongs to the first block that finds it, on
 * every level. A level may reorder its ranges. Afterwards they hold the same word of each
 * fingerprint as before. */
#ifndef SH_JOIN_LEVEL_H
#define SH_JOIN_LEVEL_H

#include "io/pool.h"
#include "join/join.h"
#include "join/order.h"
#include "join/scan.h"

enum {
	SH_JOIN_PAIRS = 1024, /* handed over at once */
	SH_LEVEL_DEPTH = 8,   /* levels that have blocks */
};

/* The working memory of one thread. */
struct sh_joiner {
	struct sh_join *join;
	struct sh_job *job;                /* receives the pairs of the current task */
	struct sh_error *err;              /* error of the current task */
	struct sh_level *level;            /* the top level, with a scan of its own */
	struct sh_halver *halver;          /* of the join by halves; NULL before the first one */
	struct sh_side part, part_scratch; /* one radix partition of x in order */
	size_t pairs;
	struct sh_join_pair pair[SH_JOIN_PAIRS];
};

struct sh_join {
	unsigned bits, k, words;
	struct sh_join_limits limits;
	const struct sh_kernel *kernel;
	struct sh_side x, y, own_scratch;  /* copies of the two sets; y is used for two sets only */
	struct sh_side *scratch;           /* own_scratch, or the caller's */
	const struct sh_band_table *table; /* NULL: report pairs of all tables */
	bool self;
	sh_join_pairs_fn *fn;
	sh_join_out_fn *each; /* receives the pairs of a task */
	struct sh_job *out;   /* what `each` adds to a job comes here, in the order of the tasks */
	struct sh_pool own_pool;
	struct sh_job own_out; /* when the caller has no job: holds pairs for fn */
	void *ctx;
	struct sh_error *err;
	struct sh_level *top;
	unsigned threads;
	void **joiner; /* one struct sh_joiner a thread */
};

struct sh_range {
	struct sh_side *side;
	uint32_t lo, n;
};

struct sh_level {
	struct sh_join *join;
	struct sh_joiner *joiner; /* the thread that joins the level */
	const struct sh_level *parent;
	unsigned depth;
	bool self;   /* y is x */
	bool halves; /* the plan may be halves (join/halves.h) */
	struct sh_range x, y;
	unsigned k; /* distance left for the bits that no level above has used */
	struct sh_plan plan;
	unsigned at; /* the block being joined */
	struct sh_side *scratch;
	uint32_t *x_start, *y_start, *next, *flip;
	uint32_t flips;
	size_t tasks; /* of a scan: a task is a range of buckets, or of elements of x */
	const struct sh_split *split; /* of a block joined by partitions: a task is a partition */
	struct sh_side own[3];        /* copies of x and y, and scratch memory for both */
	struct sh_earlier earlier[SH_LEVEL_DEPTH * SH_PLAN_BLOCKS];
	struct sh_scan scan;
};

/* Chooses l->plan by a sample of the ranges. */
void sh_level_plan(struct sh_level *l);
/* Reports the pairs of the ranges. Returns -1 when memory runs out or the receiver fails. */
int sh_level_join(struct sh_level *l);
/* Lists the blocks of all levels that come before the block being joined, for the scan. The list is
 * empty for fingerprints of several words, because the scan sees only one word of each. */
void sh_level_list_earlier(struct sh_level *l);
/* Receives the matches of the scan of level ctx (sh_scan.flush). Stores the matches that are pairs
 * of the level's block, for the receiver. Returns false when the receiver fails. */
bool sh_level_add_matches(void *ctx, const struct sh_scan_match *match, size_t n);
/* Hands the stored pairs of the thread to the receiver. Returns false when it fails. */
bool sh_joiner_send(struct sh_joiner *w);

/* Returns into how many tasks a scan of n fingerprints is cut. The cut has no effect on the
 * pairs. */
size_t sh_join_cut(const struct sh_join *j, size_t n);
/* Calls work() with a joiner for each of the tasks 0 .. n-1. The pairs are received in the order of
 * the tasks. */
int sh_join_tasks(struct sh_join *j, size_t n, int (*work)(void *joiner, struct sh_job *job),
    struct sh_error *err);

#endif
