/* The inner loop of a join by halves: fingerprints whose halves differ in one bit at the most.
 *
 * Words are ordered by the first bits of one half, their key: bucket v is at positions
 * start[v] .. start[v+1]-1. `rest` has of each word the half's other bits, 16 at the most. Two
 * positions are a spot when their halves differ in no bit or in one: in a bit of the key, and
 * the rests are equal; or the keys are equal, and the rests differ in one bit at the most.
 *
 * Bucket after bucket is compared with itself and with half of its neighbours, as many for each: of
 * two bits of the key, the lower one is inverted where they differ, the upper one where they are
 * alike. So of two neighbours one meets the other. Spots come in an order that does not depend on
 * the kernel. */
#ifndef SH_JOIN_NEAR_H
#define SH_JOIN_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SH_NEAR_PAD = 64,    /* rests are readable so far beyond the last */
	SH_NEAR_MET = 12,    /* buckets that one meets, at most: keys of 24 bits */
	SH_NEAR_COPIED = 32, /* rests of each that are collected */
	SH_NEAR_SPOTS = 1024,
};

struct sh_near_spot {
	uint32_t x, y;
};

/* Rests of the buckets that one is to meet, where each of them begins, and at which position it was. */
struct sh_near_met {
	bool many; /* one of them has more than are collected */
	uint32_t n, pieces;
	uint32_t piece_at[SH_NEAR_MET], piece_from[SH_NEAR_MET];
	_Alignas(64) uint16_t rest[SH_NEAR_MET * SH_NEAR_COPIED + SH_NEAR_PAD];
};

struct sh_near {
	const uint16_t *rest;
	const uint32_t *start;
	unsigned bits; /* of the key */
	/* Take the spots, which are at most SH_NEAR_SPOTS; false ends the scan. */
	bool (*flush)(void *ctx, const struct sh_near_spot *spot, size_t n);
	void *ctx;

	/* The kernel's own. */
	bool ended;
	size_t spots;
	struct sh_near_spot spot[SH_NEAR_SPOTS];
	uint16_t none[SH_NEAR_COPIED];
	struct sh_near_met met[2];
};

/* Scan every bucket; s->ended tells whether flush ended it early. */
typedef void sh_near_scan(struct sh_near *s);

sh_near_scan sh_near_plain;
#if defined(__x86_64__) && defined(__GNUC__)
sh_near_scan sh_near_avx2;   /* asks for SH_NEEDS_AVX2 and SH_NEEDS_BMI */
sh_near_scan sh_near_avx512; /* and for SH_NEEDS_AVX512 */
#endif

#endif
