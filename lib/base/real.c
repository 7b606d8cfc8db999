/* SPDX-License-Identifier: MIT */
#include "base/real.h"

#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/num.h"

int sh_parse_real(struct sh_slice s, double *x)
{
	char text[SH_REAL_CHARS + 1], *end;
	locale_t c;

	if (s.n == 0 || s.n > SH_REAL_CHARS)
		return -1;
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c)
		return -1;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	*x = strtod_l(text, &end, c);
	freelocale(c);
	return end == text + s.n ? 0 : -1;
}

/* Parses a number such as 8e-05, the form in which Python prints numbers below 0.0001. */
static int parse_power(struct sh_slice s, int64_t *millionths)
{
	double x;

	for (size_t i = 0; i < s.n; i++)
		if (!memchr("0123456789.eE+-", s.p[i], 15))
			return SH_NUM_MALFORMED;
	if (*s.p < '0' || *s.p > '9' || sh_parse_real(s, &x) < 0)
		return SH_NUM_MALFORMED;
	x = x * SH_WEIGHT_ONE + 0.5;
	if (x >= (double)INT64_MAX)
		return SH_NUM_RANGE;
	*millionths = (int64_t)x;
	return SH_NUM_OK;
}

int sh_parse_rounded(struct sh_slice s, int64_t *millionths)
{
	const char *dot;
	size_t places;
	bool up = false;
	int rc;

	if (s.n == 0)
		return SH_NUM_MALFORMED;
	if (memchr(s.p, 'e', s.n) || memchr(s.p, 'E', s.n))
		return parse_power(s, millionths);
	dot = memchr(s.p, '.', s.n);
	places = dot ? s.n - (size_t)(dot - s.p) - 1 : 0;
	if (places > SH_WEIGHT_PLACES) {
		const char *rest = dot + 1 + SH_WEIGHT_PLACES;

		for (const char *p = rest; p < s.p + s.n; p++)
			if (*p < '0' || *p > '9')
				return SH_NUM_MALFORMED;
		up = *rest >= '5';
		s.n = (size_t)(rest - s.p);
	}
	rc = sh_parse_weight(s, millionths);
	if (rc)
		return rc;
	return __builtin_add_overflow(*millionths, up, millionths) ? SH_NUM_RANGE : SH_NUM_OK;
}
