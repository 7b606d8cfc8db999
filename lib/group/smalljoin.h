/* Finds the pairs of small sets whose Jaccard similarity is at least a threshold, exactly, by a
 * prefix filter (Chaudhuri, Ganti, Kaushik 2006; Bayardo, Ma, Srikant 2007).
 *
 * All sets have the same order of features, the rare ones first. Two sets of similarity t or more
 * share a feature of their prefixes. The prefix of a set of n features is its first n - ceil(t n) +
 * 1 features. So only sets that share a feature of their prefixes are compared. Time grows with the
 * square of the number of sets that share a feature of their prefixes. Memory: at most 60 bytes a
 * feature, in the tables. */
#ifndef SH_GROUP_SMALLJOIN_H
#define SH_GROUP_SMALLJOIN_H

#include "io/tables.h"

/* Sets, packed: set i is hash[start[i]] .. hash[start[i+1] - 1], distinct in each. */
struct sh_small_sets {
	struct sh_tables *tables; /* owner of the arrays; NULL: memory without a limit */
	unsigned jobs;            /* threads; 0: one */
	uint64_t *hash;
	size_t *start; /* n + 1 offsets in hash */
	size_t n;
	size_t hash_n, hash_cap, start_cap;
};

/* Adds a set of n distinct hashes, which are copied. */
int sh_small_add(struct sh_small_sets *s, const uint64_t *hash, size_t n, struct sh_error *err);
/* Adds the sets of n others, in their order, by several threads. The others become empty. */
int sh_small_move(
    struct sh_small_sets *s, struct sh_small_sets *const *from, size_t n, struct sh_error *err);
void sh_small_free(struct sh_small_sets *s);

/* Replaces the hashes by numbers in the order of the features, and sorts each set. Call it once,
 * after the last sh_small_add(). */
int sh_small_order(struct sh_small_sets *s, struct sh_error *err);

/* Some of the sets: their numbers, ascending. */
struct sh_small_part {
	uint32_t *set;
	size_t n;
};

/* Receives a pair of sets, by their numbers. Returning -1 ends the join. */
typedef int sh_small_fn(void *arg, uint32_t a, uint32_t b, struct sh_error *err);

/* Calls fn once for each pair of sets whose similarity is at least the threshold, in millionths and
 * above 0. At least one of the two sets has fewer than `few` features. b NULL: both sets are of a,
 * the lower number first. Otherwise one set is of a and one of b, which must share no set. The
 * calling thread calls fn, in an order that does not depend on the number of threads. */
int sh_small_join(const struct sh_small_sets *s, const struct sh_small_part *a,
    const struct sh_small_part *b, uint64_t threshold, size_t few, sh_small_fn *fn, void *arg,
    struct sh_error *err);

#endif
