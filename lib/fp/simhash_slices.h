/* What variants of counting by bit slices share: hashes go side by side through the lanes
 * of a register in pieces of a size that the lanes' slices can count, and at the end of a
 * piece the lanes' counts, still in slices, are brought together. */
#ifndef SH_FP_SIMHASH_SLICES_H
#define SH_FP_SIMHASH_SLICES_H

#include <stdbool.h>
#include <string.h>

#include "fp/simhash_kernel.h"

/* Slices of a lane, and the hashes of a piece, which no lane counts further. */
enum { SH_LANE_PLANES = 16, SH_PIECE = 1 << 15 };

/* Slices for so many additions to a lane, and at least those that are always there. */
static inline unsigned sh_lane_planes(size_t rounds, unsigned least)
{
	unsigned n = sh_planes_used(rounds);

	return n < least ? least : n;
}

/* Bring a piece's slices into the running ones, which hold nothing when `fresh`. */
static inline void sh_add_slices(
    uint64_t *planes, unsigned used, const uint64_t *slices, unsigned n, bool fresh)
{
	uint64_t carry = 0, a, b;
	unsigned i;

	if (n > used)
		n = used; /* what is beyond is 0 */
	if (fresh) {
		memcpy(planes, slices, n * sizeof *slices);
		return;
	}
	for (i = 0; i < n; i++) {
		a = planes[i] ^ slices[i];
		b = planes[i] & slices[i];
		planes[i] = a ^ carry;
		carry = b | (a & carry);
	}
	for (; i < used; i++) {
		a = planes[i] & carry;
		planes[i] ^= carry;
		carry = a;
	}
}

#endif
