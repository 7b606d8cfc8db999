/* SPDX-License-Identifier: MIT */
#include "record/marks.h"

#include "base/bytes.h"

/* Sets the top bit of exactly the bytes of x that equal c. */
static inline uint64_t where(uint64_t x, unsigned char c)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), low = ones * 0x7f;

	x ^= ones * c;
	return ~(((x & low) + low) | x | low);
}

size_t sh_marks_find(const char *p, size_t n, bool *blanks, uint32_t *mark)
{
	uint64_t any = 0, more;
	size_t found = 0;

	for (size_t i = 0; i < n; i += 8) {
		uint64_t x = sh_le64(p + i);
		uint64_t marks = where(x, '\t') | where(x, '\n');

		more = *blanks ? where(x, ' ') | where(x, '\\') : 0;
		if (n - i < 8) {
			marks &= (UINT64_C(1) << 8 * (n - i)) - 1;
			more &= (UINT64_C(1) << 8 * (n - i)) - 1;
		}
		any |= more;
		marks |= more;
		for (; marks; marks &= marks - 1)
			mark[found++] = (uint32_t)(i + (unsigned)__builtin_ctzll(marks) / 8);
	}
	*blanks = any != 0;
	return found;
}
