/* Pairs of small sets whose Jaccard similarity reaches a threshold, exactly, from the sets
 * themselves (prefix filter: Chaudhuri, Ganti, Kaushik 2006; Bayardo, Ma, Srikant 2007).
 *
 * With each set in one order of features, the rare ones first, two sets of similarity t or
 * more share one of their first n - ceil(t n) + 1 features, n the size of each. So only sets
 * that share such a feature are looked at. Time grows with the square of the number of sets
 * that share a rare one. Memory: at most 60 bytes a feature, of the tables. */
#ifndef SH_GROUP_SMALLJOIN_H
#define SH_GROUP_SMALLJOIN_H

#include "io/tables.h"

/* Sets, packed: set i is hash[start[i]] .. hash[start[i+1] - 1], distinct in each. */
struct sh_small_sets {
	struct sh_tables *tables; /* where all lies; NULL: in memory */
	uint64_t *hash;
	size_t *start; /* n + 1 of them */
	size_t n;
	size_t hash_n, hash_cap, start_cap;
};

int sh_small_add(struct sh_small_sets *s, const uint64_t *hash, size_t n, struct sh_error *err);
void sh_small_free(struct sh_small_sets *s);

/* Once, after the last was added: hashes are replaced and reordered in their sets. */
int sh_small_order(struct sh_small_sets *s, struct sh_error *err);

/* Some of the sets, by number, ascending. */
struct sh_small_part {
	uint32_t *set;
	size_t n;
};

typedef int sh_small_fn(void *arg, uint32_t a, uint32_t b, struct sh_error *err);

/* Every pair that reaches threshold (millionths, above 0) and has a set of fewer than `few`
 * features, each once, in any order: of sets a < b of one part (b NULL), or of one of each of two
 * parts that share none. fn returning -1 stops it. */
int sh_small_join(const struct sh_small_sets *s, const struct sh_small_part *a,
    const struct sh_small_part *b, uint64_t threshold, size_t few, sh_small_fn *fn, void *arg,
    struct sh_error *err);

#endif
