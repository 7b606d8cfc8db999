/* The inner loop of the join by halves: finds fingerprints whose halves differ in at most one bit.
 *
 * Fingerprints are ordered by the first bits of one half, the key. Bucket v is at positions
 * start[v] .. start[v+1]-1. rest[i] holds the other bits of the half, at most 16. Two positions
 * match when their halves differ in at most one bit. Either the keys differ in one bit and the
 * rests are equal, or the keys are equal and the rests differ in at most one bit.
 *
 * The neighbours of a bucket are the buckets whose keys differ in one bit. Each bucket is compared
 * with itself and with half of its neighbours, so that each two neighbours are compared once.
 *
 * Bit 0 is here the least significant bit of the key. Bit 2i is flipped when bits 2i and 2i + 1
 * differ, otherwise bit 2i + 1 is flipped. The two bits 01 and 10 lead to 00 and 11; 00 and 11 lead
 * to 10 and 01. Each two neighbours thus meet once, and each bucket has one comparison for two
 * bits. When the number of bits is odd, the most significant bit is flipped when it is 1. The order
 * of matches does not depend on the kernel. */
#ifndef SH_JOIN_NEAR_H
#define SH_JOIN_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "join/scan.h"

enum {
	SH_NEAR_PAD = 64, /* rests that are readable beyond the last: kernels read 64 at a time */
	/* the most neighbours compared with one bucket: half of the bits of a key, which has at
	 * most SH_PLAN_KEY_BITS */
	SH_NEAR_NEIGHBOURS = 12,
	/* most rests gathered of each neighbour: two loads of 16 rests copy nearly every bucket */
	SH_NEAR_COPIED = 32,
	SH_NEAR_MATCHES = 1024, /* matches handed over at once: 8 KiB */
};

/* The rests of a bucket's neighbours. Neighbour i begins at rest[at[i]]; its first position is
 * from[i]. */
struct sh_near_gathered {
	bool incomplete; /* a neighbour has more than SH_NEAR_COPIED rests */
	uint32_t n, neighbours;
	uint32_t at[SH_NEAR_NEIGHBOURS], from[SH_NEAR_NEIGHBOURS];
	_Alignas(64) uint16_t rest[SH_NEAR_NEIGHBOURS * SH_NEAR_COPIED + SH_NEAR_PAD];
};

struct sh_near {
	const uint16_t *rest;
	const uint32_t *start;
	unsigned bits; /* of the key */
	uint32_t from,
	    to; /* buckets from .. to-1 are compared with themselves and their neighbours */
	/* Receives 1 to SH_NEAR_MATCHES matches. Returning false ends the scan. */
	bool (*flush)(void *ctx, const struct sh_scan_match *match, size_t n);
	void *ctx;

	/* The kernel's own. */
	bool ended;
	size_t matches;
	struct sh_scan_match match[SH_NEAR_MATCHES];
	uint16_t no_rest[SH_NEAR_COPIED];
	struct sh_near_gathered gathered[2]; /* for this bucket, and for the next one */
};

/* Scan the buckets. s->ended is true when flush() ended the scan early. */
sh_near_scan sh_near_plain;
#if defined(__x86_64__) && defined(__GNUC__)
sh_near_scan sh_near_avx2; /* needs SH_NEEDS_AVX2 and SH_NEEDS_BMI */
#endif

#endif
