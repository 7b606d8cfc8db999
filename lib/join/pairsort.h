/* Sorts pairs, each as one number of 64 bits. */
#ifndef SH_JOIN_PAIRSORT_H
#define SH_JOIN_PAIRSORT_H

#include "io/tables.h"

struct sh_pairs {
	uint64_t *pair; /* memory of the tables */
	size_t n, cap;  /* number of pairs; elements allocated */
};

/* Sorts the pairs in ascending order and drops repeated pairs, by threads >= 1 threads. May move
 * them: p->pair changes, p->cap does not. Needs memory for p->cap more pairs. After a failure the
 * pairs are lost, and p->pair must still be freed. */
int sh_pairs_sort(
    struct sh_pairs *p, unsigned threads, struct sh_tables *tables, struct sh_error *err);

#endif
