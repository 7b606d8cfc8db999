/* All pairs of fingerprints within a Hamming distance, in memory, exactly.
 *
 * Generalised pigeonhole (Qin, Xiao et al., "GPH", ICDE 2018; Norouzi, Punjani,
 * Fleet, "Multi-index hashing", CVPR 2012): cut the bits into blocks with radii
 * t_i such that sum(t_i + 1) = K + 1; a pair within K is within t_i in some block
 * i, else it would differ in at least sum(t_i + 1) > K bits. For each block, the
 * fingerprints are ordered by the block's bits by a radix sort, each bucket is joined with
 * the buckets whose key is within the radius, and candidates are compared in full.
 *
 * A pair is written by the first block that finds it, which the pair itself tells:
 * so each pair comes once and nothing is remembered. A bucket pair that is too
 * large is joined by the same method on the other bits. The plan (blocks, radii, key
 * bits, or comparing all with all) is the cheapest by a cost model, from the
 * number of fingerprints, K and a sample of the data.
 *
 * Which pairs come, and in which order, depends on the arguments alone, not on the
 * processor. Memory: 2 * (8 + 4) bytes a fingerprint of any width beside the
 * caller's arrays, and the bucket offsets. Large even sets of 64 bits go by halves (halves.h). */
#ifndef SH_JOIN_JOIN_H
#define SH_JOIN_JOIN_H

#include "band/plan.h"
#include "base/error.h"
#include "record/fingerprint.h"

struct sh_hit {
	uint32_t a, b; /* positions; a < b in a self-join */
	uint32_t distance;
};

/* Takes hits in batches, n >= 1; returning -1 stops the join, which then returns -1. */
typedef int sh_hits_fn(void *ctx, const struct sh_hit *hit, size_t n, struct sh_error *err);

/* Holds the parameters and the working memory, which is kept from call to call. */
struct sh_join;

/* Pairs of fingerprints of `bits` bits within distance k. kernel is a name
 * of sh_join_kernel_name() or NULL for the fastest. */
struct sh_join *sh_join_new(unsigned bits, unsigned k, const char *kernel, struct sh_error *err);
void sh_join_delete(struct sh_join *j);

/* Names of the compare kernels that this processor runs, fastest first; NULL after the last. */
const char *sh_join_kernel_name(unsigned i);

/* All pairs among fp[0 .. n-1], n < 2^32 - 64. Fingerprints should be distinct: equal ones are
 * pairs at distance 0, n of them n(n-1)/2 pairs. */
int sh_join_self(struct sh_join *j, const uint64_t *fp, size_t n, sh_hits_fn *fn, void *ctx,
    struct sh_error *err);

/* All pairs (a, b) of one from each of two sets, each of so many at most. */
int sh_join_cross(struct sh_join *j, const uint64_t *fpa, size_t na, const uint64_t *fpb, size_t nb,
    sh_hits_fn *fn, void *ctx, struct sh_error *err);

/* Fingerprints of one word with names, in arrays that a join may reorder, both alike, and that
 * are readable SH_JOIN_PAD elements beyond their n-th: no copy is made. Hits tell names; those
 * of a self-join the lesser one first. */
struct sh_named {
	uint64_t *fp;
	uint32_t *name;
	size_t n; /* < 2^32 - 64 */
};

#define SH_JOIN_PAD 32

int sh_join_self_named(
    struct sh_join *j, const struct sh_named *s, sh_hits_fn *fn, void *ctx, struct sh_error *err);
int sh_join_cross_named(struct sh_join *j, const struct sh_named *a, const struct sh_named *b,
    sh_hits_fn *fn, void *ctx, struct sh_error *err);

/* Room that the caller has, used in place of the join's own; it grows as needed. NULL: no more. */
struct sh_side;
void sh_join_lend(struct sh_join *j, struct sh_side *room);

/* Give only those pairs that `keep` approves of, which sees the two fingerprints, in either
 * order. NULL: all pairs. */
typedef bool sh_join_keep(const void *arg, const uint64_t *x, const uint64_t *y);
void sh_join_only(struct sh_join *j, sh_join_keep *keep, const void *arg);

enum { SH_JOIN_HALVES = 3 << 16 };

/* When what is done: not for tuning, but so that tests reach everything with small sets. */
struct sh_join_limits {
	uint64_t small;      /* so many pairs are compared at once, without a plan: 2^18 */
	uint64_t large;      /* two buckets of more candidates get a plan of their own: 2^22 */
	uint32_t few;        /* unless one side has fewer fingerprints: 256 */
	double brute_factor; /* on the estimated time of comparing every pair: 1 */
	uint32_t cached;     /* fingerprints that a processor's cache holds: 2^17 */
	bool shorten;        /* compare short forms even where that may not help: false */
	uint32_t halves;     /* so many may be joined by halves, 0 for none: SH_JOIN_HALVES */
	bool halve;          /* however uneven they are: false */
};
void sh_join_set_limits(struct sh_join *j, const struct sh_join_limits *limits);

/* The plan that sh_join_self would follow. */
int sh_join_plan_self(
    struct sh_join *j, struct sh_plan *plan, const uint64_t *fp, size_t n, struct sh_error *err);

#endif
