/* SPDX-License-Identifier: MIT */
#include "io/csv.h"

#include <string.h>

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
	size_t whole = 0, at = 0;

	while (at < n) {
		const char *lf = memchr(p + at, '\n', n - at);
		size_t end = lf ? (size_t)(lf - p) : n;

		*quoted ^= has_odd_quotes(p + at, end - at);
		at = end + (lf != NULL);
		if (lf && !*quoted)
			whole = at;
	}
	return whole;
}
