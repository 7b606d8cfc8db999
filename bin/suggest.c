/* SPDX-License-Identifier: MIT */
#include "suggest.h"

#include <string.h>

enum { LONGEST = 32 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Returns the edit distance of two words of at most LONGEST characters. Two neighbouring characters
 * in exchanged order count as one edit. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned d[LONGEST + 1][LONGEST + 1];

	for (unsigned i = 0; i <= n; i++)
		d[i][0] = i;
	for (unsigned j = 0; j <= m; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
			    least(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[n][m];
}

const char *suggest_option(const char *typed, const struct option *longs)
{
	const char *word = typed + strspn(typed, "-"), *nearest = NULL;
	size_t n = strcspn(word, "=");
	unsigned best = n < 4 ? 1 : n < 12 ? (unsigned)n / 4 : 3;

	if (n < 2 || n > LONGEST)
		return NULL;
	for (const struct option *o = longs; o->name; o++) {
		size_t m = strlen(o->name);
		unsigned d;

		if (strncmp(o->name, word, n) == 0)
			return NULL;
		if (m > LONGEST || (d = distance(word, n, o->name, m)) > best ||
		    (nearest && d == best))
			continue;
		best = d;
		nearest = o->name;
	}
	return nearest;
}
