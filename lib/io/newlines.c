/* SPDX-License-Identifier: MIT */
#include "io/newlines.h"

uint64_t sh_count_newlines(const char *p, size_t n)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += p[i] == '\n';
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

static bool has_odd_quotes(const char *p, size_t n)
{
	bool odd = false;

	for (size_t i = 0; i < n; i++)
		odd ^= p[i] == '"';
	return odd;
}

size_t sh_csv_record(const char *p, size_t n, bool quoted)
{
	size_t at = 0;

	while (at < n) {
		const char *lf = memchr(p + at, '\n', n - at);
		size_t end = lf ? (size_t)(lf - p) : n;

		quoted ^= has_odd_quotes(p + at, end - at);
		if (!lf || !quoted)
			return end;
		at = end + 1;
	}
	return n;
}

size_t sh_csv_whole(const char *p, size_t n, bool *quoted)
{
	size_t at = 0, end;

	for (; (end = at + sh_csv_record(p + at, n - at, *quoted)) < n; at = end + 1)
		*quoted = false;
	*quoted ^= has_odd_quotes(p + at, n - at);
	return at;
}
