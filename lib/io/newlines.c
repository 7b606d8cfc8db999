/* SPDX-License-Identifier: MIT */
#include "io/newlines.h"

uint64_t sh_count_newlines(const char *p, size_t n)
{
	enum { ROW = 64 };
	uint64_t lines = 0;

	/* 64 counters of one byte, in vector registers. A counter can count to 255. */
	while (n >= ROW) {
		size_t rows_left = n / ROW < 255 ? n / ROW : 255;
		unsigned char counts[ROW] = { 0 };

		n -= rows_left * ROW;
		for (; rows_left; rows_left--, p += ROW)
			for (unsigned i = 0; i < ROW; i++)
				counts[i] = (unsigned char)(counts[i] + (p[i] == '\n'));
		for (unsigned i = 0; i < ROW; i++)
			lines += counts[i];
	}
	for (; n; n--)
		lines += *p++ == '\n';
	return lines;
}

struct sh_slice sh_line_before(const char *p, size_t end)
{
	const char *lf = NULL;
	size_t n = end - (p[end - 1] == '\n'), start = n;

	/* A few bytes at a time: memrchr() under AddressSanitizer checks its whole range, which
	 * takes minutes when p[] is long. */
	while (start && !lf) {
		size_t few = start < 64 ? start : 64;

		start -= few;
		lf = memrchr(p + start, '\n', few);
	}
	start = lf ? (size_t)(lf - p) + 1 : start;
	return sh_slice(p + start, n - start);
}
