/* The join by halves: a self-join of many evenly distributed fingerprints of 64 bits within
 * distance 2 or 3; the inside of join.h.
 *
 * When two fingerprints differ in at most three bits, one of their halves differs in at most one
 * bit. The fingerprints are ordered by the upper half and scanned for near halves (near.h). Then
 * they are ordered by the lower half and scanned again. A pair whose upper halves are near belongs
 * to the first scan. The second order has no names (sh_named), which makes it faster. The second
 * scan finds few pairs; their names are looked up in the first order.
 *
 * The pairs and their order depend on the fingerprints alone. */
#ifndef SH_JOIN_HALVES_H
#define SH_JOIN_HALVES_H

#include "join/level.h"

/* Joins the words of x, which it reorders. Returns 0; 1 when the fingerprints are so uneven that
 * another plan is better, and then no pair has been reported; or -1. */
int sh_halves_join(struct sh_join *j, struct sh_side *x, struct sh_side *scratch);

#endif
