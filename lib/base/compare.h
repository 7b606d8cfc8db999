/* Compares two numbers, for the comparison functions of qsort(). */
#ifndef SH_BASE_COMPARE_H
#define SH_BASE_COMPARE_H

#include <stdint.h>

/* Returns -1, 0 or 1. Does not use (x > y) - (x < y): gcc 12 at -O3 for arm64 compiles a comparison
 * of this difference with 0 wrongly. */
static inline int sh_compare(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

#endif
