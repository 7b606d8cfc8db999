/* Compares two numbers, for qsort(). */
#ifndef SH_BASE_COMPARE_H
#define SH_BASE_COMPARE_H

#include <stdint.h>

/* Returns -1, 0 or 1. It is not written as (x > y) - (x < y) because of a compiler bug: see base/wide.h. */
static inline int sh_compare(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

#endif
