/* What the kernels of scan.h share, each a row for other instructions, with its own copy of
 * scan_body.h; t/unit/test_join.c holds all that run on a processor to the same spots in the same
 * order. */
#ifndef SH_JOIN_SCAN_KERNEL_H
#define SH_JOIN_SCAN_KERNEL_H

#include <string.h>

#include "join/scan.h"

#if defined(__x86_64__) && defined(__GNUC__)
extern const struct sh_kernel sh_kernel_avx2, sh_kernel_avx512;
#elif defined(__aarch64__)
extern const struct sh_kernel sh_kernel_neon;
#endif

#define NEAR UINT32_MAX

enum {
	SMALL = 64,  /* words of a bucket whose spots are found in any order first */
	COPIED = 16, /* words copied together */
};

static inline void end_unless(struct sh_scan *s, bool going_on)
{
	if (!going_on)
		s->ended = true;
}

static inline bool flush_spots(struct sh_scan *s)
{
	size_t n = s->spots;

	s->spots = 0;
	return !s->ended && (n == 0 || s->flush(s->ctx, s->spot, n));
}

/* The position in y of the word at near[i]. */
static inline uint32_t came_from(const struct sh_scan *s, uint32_t i)
{
	size_t low = 0, high = s->pieces;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (s->piece_at[mid] <= i)
			low = mid;
		else
			high = mid;
	}
	return s->piece_from[low] + (i - s->piece_at[low]);
}

static inline void room_for_tile(struct sh_scan *s)
{
	if (s->spots + SH_SCAN_TILE > SH_SCAN_SPOTS)
		end_unless(s, flush_spots(s));
}

/* Without a branch on it: it is anybody's guess. */
static inline bool found_before(const struct sh_scan *s, uint64_t difference)
{
	bool before = false;

	for (unsigned i = 0; i < s->earlier_n; i++) {
		uint64_t left = difference & s->earlier[i].mask;

		for (unsigned r = 0; r < s->earlier[i].radius; r++)
			left &= left - 1;
		before |= left == 0;
	}
	return before;
}

/* Word y of the other side with those of a tile at x. */
static inline void append_spots(struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y)
{
	uint64_t word = s->y[y];

	for (; hit != 0; hit &= hit - 1) {
		uint32_t at = x + (uint32_t)__builtin_ctz(hit);

		s->spot[s->spots] = (struct sh_spot){ at, y };
		s->spots += !found_before(s, s->x[at] ^ word);
		s->near_pairs++;
	}
}

#endif
