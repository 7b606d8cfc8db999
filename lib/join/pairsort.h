/* Sorts pairs, each as one number of 64 bits. */
#ifndef SH_JOIN_PAIRSORT_H
#define SH_JOIN_PAIRSORT_H

#include "io/tables.h"

struct sh_pairs {
	uint64_t *pair; /* in the tables */
	size_t n, cap;
};

/* Sorts the pairs in ascending order and drops repeated pairs, by threads >= 1 threads. Needs
 * scratch memory of p->cap pairs. */
int sh_pairs_sort(
    struct sh_pairs *p, unsigned threads, struct sh_tables *tables, struct sh_error *err);

#endif
