/* SPDX-License-Identifier: MIT */
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

/* Compares two elements of an array of uint64_t. */
static inline int sh_compare_u64(const void *a, const void *b)
{
	return sh_compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

#endif
