/* SPDX-License-Identifier: MIT */
/* Sorts numbers of 64 bits, ascending. */
#ifndef SH_BASE_NUMSORT_H
#define SH_BASE_NUMSORT_H

#include <stddef.h>
#include <stdint.h>

enum { SH_NUMSORT_BITS = 11 }; /* largest digit: its counters stay in the first-level cache */

/* Sorts by insertion: fast for few numbers, and for numbers near their final places. */
void sh_numsort_insert(uint64_t *a, size_t n);

/* One pass of a radix sort, by `bits` <= SH_NUMSORT_BITS bits from bit `shift` on. Numbers with the
 * same digit keep their order. */
void sh_numsort_pass(
    const uint64_t *restrict from, uint64_t *restrict to, size_t n, unsigned shift, unsigned bits);

/* Sorts n numbers. room: for n numbers. Returns where the sorted numbers are: `a` or `room`. */
uint64_t *sh_numsort(uint64_t *a, uint64_t *room, size_t n);

#endif
