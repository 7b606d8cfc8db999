/* Finds all pairs of fingerprints within a Hamming distance, in memory, exactly.
 *
 * The method is the generalised pigeonhole principle (Qin, Xiao et al., "GPH", ICDE 2018; Norouzi,
 * Punjani, Fleet, "Multi-index hashing", CVPR 2012). The bits are cut into blocks with radii t_i
 * such that sum(t_i + 1) = k + 1. Two fingerprints within k differ in at most t_i bits of some
 * block i: otherwise they would differ in at least sum(t_i + 1) > k bits. For each block a radix
 * sort orders the fingerprints by the bits of the block. Each bucket is then compared with the
 * buckets whose keys differ in at most t_i bits.
 *
 * A pair is reported by the first block that finds it. The two fingerprints alone tell which block
 * that is, so nothing is remembered. Two buckets with too many candidates are joined by the same
 * method on the other bits. A cost model chooses the plan: blocks, radii, key bits, or comparing
 * all with all. It uses the number of fingerprints, k and a sample of the data.
 *
 * The pairs and their order depend on the arguments alone, not on the processor or the threads.
 * Memory: 24 bytes a fingerprint, beside the caller's arrays, and the bucket offsets; for each
 * thread two sets of buckets that are joined by a new plan. */
#ifndef SH_JOIN_JOIN_H
#define SH_JOIN_JOIN_H

#include "band/band.h"
#include "band/plan.h"
#include "base/error.h"
#include "record/fingerprint.h"

/* Two fingerprints by their positions in the caller's arrays; a < b in a self-join. distance: in
 * bits. */
struct sh_join_pair {
	uint32_t a, b;
	uint32_t distance;
};

/* Receives n >= 1 pairs. Returning -1 stops the join, which then returns -1. */
typedef int sh_join_pairs_fn(
    void *ctx, const struct sh_join_pair *pair, size_t n, struct sh_error *err);

/* Receives n >= 1 pairs in any of the join's threads. What it adds to job->out, with sh_job_room()
 * or by itself, comes out in the order of the pairs. */
struct sh_job;
typedef int sh_join_out_fn(
    void *ctx, struct sh_job *job, const struct sh_join_pair *pair, size_t n, struct sh_error *err);

/* Holds the parameters, and the working memory, which is kept between calls. */
struct sh_join;

/* Makes a join that reports pairs within distance k. bits: of a fingerprint, 4 to SH_FP_MAX_BITS, a
 * multiple of 4. kernel: a name from sh_join_kernel_name(), or NULL for the fastest. Returns NULL
 * on failure. SH_ERR_PARAM: `bits` is not allowed, or this processor lacks the kernel. */
struct sh_join *sh_join_new(unsigned bits, unsigned k, const char *kernel, struct sh_error *err);
/* NULL: does nothing. */
void sh_join_delete(struct sh_join *j);

/* Returns name i of the compare kernels that this processor runs, fastest first; NULL after the
 * last. */
const char *sh_join_kernel_name(unsigned i);

/* Reports all pairs of n fingerprints. Fingerprint i is the SH_FP_WORDS(bits) words from
 * fp[i * SH_FP_WORDS(bits)] on. SH_ERR_PARAM: n is 2^32 - 64 or more. m equal fingerprints are
 * m(m-1)/2 pairs at distance 0: callers join equal fingerprints as one. fn NULL: see
 * sh_join_set_out(). */
int sh_join_self(struct sh_join *j, const uint64_t *fp, size_t n, sh_join_pairs_fn *fn, void *ctx,
    struct sh_error *err);

/* Does the same for all pairs of fingerprint a of fpa and fingerprint b of fpb. */
int sh_join_cross(struct sh_join *j, const uint64_t *fpa, size_t na, const uint64_t *fpb, size_t nb,
    sh_join_pairs_fn *fn, void *ctx, struct sh_error *err);

/* Fingerprints of one word, with distinct names, in arrays that the join may reorder. Both arrays
 * must be readable SH_JOIN_PAD elements beyond their end. Pairs are reported by name. In a
 * self-join the lesser name is `a`. */
struct sh_named {
	uint64_t *fp;
	uint32_t *name;
	size_t n; /* below 2^32 - 64 */
};

#define SH_JOIN_PAD 32

int sh_join_self_named(struct sh_join *j, const struct sh_named *s, sh_join_pairs_fn *fn, void *ctx,
    struct sh_error *err);
int sh_join_cross_named(struct sh_join *j, const struct sh_named *a, const struct sh_named *b,
    sh_join_pairs_fn *fn, void *ctx, struct sh_error *err);

/* Makes the join use the caller's scratch memory, which grows as needed and must outlive the joins.
 * NULL: the join's own. */
struct sh_side;
void sh_join_set_scratch(struct sh_join *j, struct sh_side *scratch);

/* Makes the join use n >= 1 threads; sh_join_new() sets 1. One thread at a time calls fn, in the
 * order of the pairs. */
int sh_join_set_threads(struct sh_join *j, unsigned n, struct sh_error *err);

/* Sets the receiver of joins whose fn is NULL: `each`, called with the join's ctx. With one thread
 * `each` gets the job `out`. With several threads each task has a job. The join then flushes `out`
 * first, and done() of out->pool gets the tasks' jobs in the order of the pairs. A join with an fn
 * removes the receiver. */
void sh_join_set_out(struct sh_join *j, sh_join_out_fn *each, struct sh_job *out);

/* Restricts the join to pairs for which t is the lowest table in which they share a key. All
 * fingerprints joined must have the same key in t. t must outlive the joins; NULL: no
 * restriction. */
void sh_join_set_table(struct sh_join *j, const struct sh_band_table *t);

enum { SH_JOIN_HALVES = 3 << 16 }; /* default of sh_join_limits.halves */

/* Thresholds of the join, with their defaults. Tests change them to reach every path with small
 * sets. */
struct sh_join_limits {
	uint64_t small; /* at most this many pairs: compare all, without a plan; 2^18 */
	/* more candidates than this in two buckets: join them by a new plan; 2^22 */
	uint64_t large;
	uint32_t few;        /* least number of fingerprints in each bucket for a new plan; 256 */
	double brute_factor; /* multiplies the estimated time of comparing all pairs; 1 */
	uint32_t cached;     /* fingerprints that the processor's cache holds; 2^17 */
	uint32_t halves;     /* smallest set for which the join by halves is considered; 0: never */
	bool halve;          /* join by halves even where fingerprints are uneven; false */
	uint32_t task;       /* fingerprints that are a task for a thread; 2^12 */
};
void sh_join_set_limits(struct sh_join *j, const struct sh_join_limits *limits);

/* Stores the plan that sh_join_self() would follow. */
int sh_join_plan_self(
    struct sh_join *j, struct sh_plan *plan, const uint64_t *fp, size_t n, struct sh_error *err);

#endif
