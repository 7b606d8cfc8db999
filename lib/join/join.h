/* SPDX-License-Identifier: MIT */
/* Finds all pairs of fingerprints within a Hamming distance, in memory, exactly.
 *
 * The method is multi-index hashing by the general pigeonhole principle (Norouzi, Punjani, Fleet,
 * "Fast search in Hamming space with multi-index hashing", CVPR 2012; Qin, Xiao et al., "GPH", ICDE
 * 2018). The bits are cut into blocks with radii t_i such that sum(t_i + 1) = k + 1. Two
 * fingerprints within k differ in at most t_i bits of some block i: otherwise they would differ in
 * at least sum(t_i + 1) > k bits. For each block the fingerprints are ordered by the bits of the
 * block. Each bucket of equal bits is then compared with the buckets whose keys differ in at most
 * t_i bits.
 *
 * A pair is reported by the first block that finds it. The two fingerprints alone tell which block
 * that is, so nothing is remembered. Two buckets with too many candidates are joined by the same
 * method on the other bits. A cost model (band/plan.h) chooses blocks, radii and key bits, or a
 * comparison of all pairs, from the number of fingerprints, k and a sample.
 *
 * The pairs and their order depend on the arguments alone, not on the processor or the threads.
 * Memory: the sides, 12 bytes a fingerprint of scratch memory, and the bucket offsets; for each
 * thread copies of the buckets that are joined by a new plan. */
#ifndef SH_JOIN_JOIN_H
#define SH_JOIN_JOIN_H

#include "band/band.h"
#include "band/plan.h"
#include "io/pool.h"
#include "join/scan.h"
#include "join/side.h"

/* Two fingerprints by their numbers; a < b in a self-join. distance: in bits. */
struct sh_join_pair {
	uint32_t a, b;
	uint32_t distance;
};

/* Holds the parameters, and the working memory, which is kept between calls. */
struct sh_join;

/* Makes a join that reports pairs within distance k, by threads >= 1. bits: of a fingerprint, 4 to
 * SH_FP_MAX_BITS, a multiple of 4. Returns NULL on failure. SH_ERR_PARAM: `bits` is not
 * allowed. */
struct sh_join *sh_join_new(unsigned bits, unsigned k, unsigned threads, struct sh_error *err);
/* NULL: does nothing. */
void sh_join_delete(struct sh_join *j);

/* Restricts the join to pairs for which t is the lowest table in which they share a key. All
 * fingerprints joined must have the same key in t. t must outlive the joins; NULL: no
 * restriction. */
void sh_join_set_table(struct sh_join *j, const struct sh_band_table *t);

/* Receives n >= 1 pairs, in any of the join's threads. What it appends to job->out comes out in the
 * order of the pairs. Returning -1 ends the join, which then returns -1. */
typedef int sh_join_fn(
    void *ctx, struct sh_job *job, const struct sh_join_pair *pair, size_t n, struct sh_error *err);

/* Reports the pairs of side x with side y, or of side x with itself when y is NULL. The sides are
 * reordered, and may exchange arrays with *room, scratch memory that grows as needed. out: a job of
 * the caller. `each` appends to it, or to other jobs, whose output goes to out->pool->done() after
 * that of *out. */
int sh_join_sides(struct sh_join *j, struct sh_join_side *x, struct sh_join_side *y,
    struct sh_join_side *room, sh_join_fn *each, void *ctx, struct sh_job *out,
    struct sh_error *err);

/* Stores the plan for a join of the side with itself at distance k. */
void sh_join_plan(
    const struct sh_join *j, struct sh_join_side *x, unsigned k, struct sh_plan *plan);

/* Thresholds of the join, with their defaults. Tests change them to reach every path with small
 * sets. */
struct sh_join_limits {
	uint64_t small;      /* compare all without a plan for at most this many pairs; 2^18 */
	uint64_t large;      /* two buckets with more candidates are joined by a new plan; 2^22 */
	uint32_t few;        /* least number of fingerprints in each bucket for a new plan; 256 */
	double brute_factor; /* multiplies the estimated time of comparing all pairs; 1 */
	uint32_t task;       /* fingerprints that are a task for a thread; 2^12 */
	const struct sh_kernel *kernel; /* NULL: the fastest */
};
void sh_join_set_limits(struct sh_join *j, const struct sh_join_limits *limits);

#endif
