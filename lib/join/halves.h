/* The self-join of many even fingerprints of 64 bits within distance 3, by halves; the inside of
 * join.h.
 *
 * Of two that differ in at most three bits one half differs in one at the most. So they are
 * ordered by the upper half, and scanned for what is near there (near.h), then by the lower one.
 * There the words go without their names: what few pairs are found are looked up in the first order.
 * A pair whose upper halves are near is left to the first scan.
 *
 * Which pairs come, and in which order, depends on the fingerprints alone. */
#ifndef SH_JOIN_HALVES_H
#define SH_JOIN_HALVES_H

#include "join/level.h"

/* Join the words of x in the room. Returns 1 when they lie so unevenly that another way will be
 * better: no pair has been told of then; 0; or -1. x is in another order afterwards, whichever. */
int sh_halves_join(struct sh_join *j, struct sh_side *x, struct sh_side *room);

#endif
