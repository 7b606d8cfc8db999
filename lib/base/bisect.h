/* SPDX-License-Identifier: MIT */
/* Binary search. */
#ifndef SH_BASE_BISECT_H
#define SH_BASE_BISECT_H

#include <stddef.h>
#include <stdint.h>

/* Sets `from` to the first of from .. to - 1 for which `before`, an expression of `at`, is false.
 * Sets it to `to` when `before` is true for all. No index after a false one may be true. from and
 * to are variables, indexes or pointers of one type; the macro changes both. `at` is a new name.
 *
 *     SH_BISECT(from, to, at, array[at] < x); */
#define SH_BISECT(from, to, at, before)                                                            \
	do {                                                                                       \
		while ((from) < (to)) {                                                            \
			__typeof__(from) at = (from) + ((to) - (from)) / 2;                        \
                                                                                                   \
			if (before)                                                                \
				(from) = at + 1;                                                   \
			else                                                                       \
				(to) = at;                                                         \
		}                                                                                  \
	} while (0)

/* Returns the first of n ascending numbers that is at least x, by index; n when there is none. a
 * may be NULL when n is 0. */
static inline size_t sh_lower_bound(const uint64_t *a, size_t n, uint64_t x)
{
	size_t from = 0;

	SH_BISECT(from, n, i, a[i] < x);
	return from;
}

#endif
