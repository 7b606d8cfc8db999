/* What the kernels of scan.h share. Each kernel compiles its own copy of scan_body.h;
 * t/unit/test_join.c checks that all kernels give the same matches in the same order. */
#ifndef SH_JOIN_SCAN_KERNEL_H
#define SH_JOIN_SCAN_KERNEL_H

#include <string.h>

#include "base/bisect.h"
#include "join/scan.h"

#if defined(__x86_64__) && defined(__GNUC__)
extern const struct sh_kernel sh_kernel_avx2, sh_kernel_avx512;
#elif defined(__aarch64__)
extern const struct sh_kernel sh_kernel_neon;
#endif

/* In place of a position in y: the word is in s->gathered. */
#define GATHERED UINT32_MAX

enum { COPIED = 16 /* words copied at once */ };

static inline void end_unless(struct sh_scan *s, bool going_on)
{
	if (!going_on)
		s->ended = true;
}

static inline bool flush_matches(struct sh_scan *s)
{
	size_t n = s->matches;

	s->matches = 0;
	return !s->ended && (n == 0 || s->flush(s->ctx, s->match, n));
}

/* Returns the position in y of gathered[i]. */
static inline uint32_t position_in_y(const struct sh_scan *s, uint32_t i)
{
	size_t low = 1, high = s->pieces;

	SH_BISECT(low, high, mid, s->piece_at[mid] <= i);
	return s->piece_from[low - 1] + (i - s->piece_at[low - 1]);
}

/* Makes space for the matches of one tile. */
static inline void reserve_tile(struct sh_scan *s)
{
	if (s->matches + SH_SCAN_TILE > SH_SCAN_MATCHES)
		end_unless(s, flush_matches(s));
}

/* Returns whether an earlier block finds two words of this difference. The answer is random, so a
 * branch on it would often be mispredicted. */
static inline bool found_before(const struct sh_scan *s, uint64_t difference)
{
	bool before = false;

	for (unsigned i = 0; i < s->earlier_n; i++)
		before |= (unsigned)__builtin_popcountll(difference & s->earlier[i].mask) <=
			  s->earlier[i].radius;
	return before;
}

#endif
