/* Binary search. */
#ifndef SH_BASE_BISECT_H
#define SH_BASE_BISECT_H

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

#endif
