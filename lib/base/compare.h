/* The order of two numbers as qsort() asks for it. */
#ifndef SH_BASE_COMPARE_H
#define SH_BASE_COMPARE_H

#include <stdint.h>

/* <0, 0 or >0. Not (x > y) - (x < y): see base/wide.h. */
static inline int sh_compare(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

#endif
