/* SPDX-License-Identifier: MIT */
#include "record/marks.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { STEP = 16 }; /* bytes that are compared at once */

/* Returns the bytes of p[0 .. STEP - 1] that equal x or y, a bit each, the first byte's lowest. */
static inline uint64_t where(const char *p, char x, char y)
{
#ifdef __SSE2__ /* as all x86-64 processors; the loop below takes four times as long */
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);

	return (uint32_t)_mm_movemask_epi8(_mm_or_si128(
	    _mm_cmpeq_epi8(v, _mm_set1_epi8(x)), _mm_cmpeq_epi8(v, _mm_set1_epi8(y))));
#else
	uint64_t bits = 0;

	for (unsigned i = 0; i < STEP; i++)
		bits |= (uint64_t)(p[i] == x || p[i] == y) << i;
	return bits;
#endif
}

size_t sh_marks_find(const char *p, size_t n, bool *blanks, uint32_t *mark)
{
	uint64_t any = 0;
	size_t found = 0;

	/* One loop for the marks of 64 bytes: its end is a mispredicted branch. */
	for (size_t i = 0; i < n; i += 64) {
		uint64_t marks = 0, more = 0;

		for (size_t j = 0; j < 64 && i + j < n; j += STEP) {
			marks |= where(p + i + j, '\t', '\n') << j;
			if (*blanks)
				more |= where(p + i + j, ' ', '\\') << j;
		}
		if (n - i < 64) {
			marks &= (UINT64_C(1) << (n - i)) - 1;
			more &= (UINT64_C(1) << (n - i)) - 1;
		}
		any |= more;
		for (marks |= more; marks; marks &= marks - 1)
			mark[found++] = (uint32_t)i + (uint32_t)__builtin_ctzll(marks);
	}
	*blanks = any != 0;
	return found;
}
