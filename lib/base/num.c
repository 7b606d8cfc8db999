/* SPDX-License-Identifier: MIT */
#include "base/num.h"

#include <locale.h>
#include <stdlib.h>

#include "base/bytes.h"

const char *sh_num_reason(int code)
{
	switch (code) {
	case SH_NUM_PLACES:
		return "more than 6 decimal places";
	case SH_NUM_RANGE:
		return "too large";
	default:
		return "not a number";
	}
}

int sh_parse_u64(struct sh_slice s, uint64_t *out)
{
	uint64_t x = 0;
	bool large = false;

	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned char)s.p[i] - (unsigned)'0';

		if (d > 9)
			return SH_NUM_MALFORMED;
		large |= __builtin_mul_overflow(x, UINT64_C(10), &x);
		large |= __builtin_add_overflow(x, (uint64_t)d, &x);
	}
	if (s.n == 0)
		return SH_NUM_MALFORMED;
	if (large)
		return SH_NUM_RANGE;
	*out = x;
	return SH_NUM_OK;
}

/* bare: the number may begin with the point. */
static int parse_decimal(struct sh_slice s, bool bare, int64_t *millionths)
{
	const char *dot = s.n ? memchr(s.p, '.', s.n) : NULL;
	size_t places = dot ? s.n - (size_t)(dot - s.p) - 1 : 0;
	uint64_t whole = 0, part = 0;
	int rc = SH_NUM_OK, rc2 = SH_NUM_OK;

	if (!bare || dot != s.p)
		rc = sh_parse_u64(sh_slice(s.p, dot ? (size_t)(dot - s.p) : s.n), &whole);
	if (dot)
		rc2 = sh_parse_u64(sh_slice(dot + 1, places), &part);
	if (rc == SH_NUM_MALFORMED || rc2 == SH_NUM_MALFORMED)
		return SH_NUM_MALFORMED;
	if (places > SH_WEIGHT_PLACES)
		return SH_NUM_PLACES;
	for (; dot && places < SH_WEIGHT_PLACES; places++)
		part *= 10;
	if (rc || whole > (uint64_t)(INT64_MAX / SH_WEIGHT_ONE))
		return SH_NUM_RANGE;
	part += whole * (uint64_t)SH_WEIGHT_ONE;
	if (part > INT64_MAX)
		return SH_NUM_RANGE;
	*millionths = (int64_t)part;
	return SH_NUM_OK;
}

int sh_parse_weight(struct sh_slice s, int64_t *millionths)
{
	return parse_decimal(s, false, millionths);
}

int sh_parse_millionths(struct sh_slice s, int64_t *millionths)
{
	return parse_decimal(s, true, millionths);
}

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

int sh_parse_count(struct sh_slice s, uint64_t *out)
{
	enum { MOST = 64 };
	const char *e = s.n ? memchr(s.p, 'e', s.n) : NULL, *dot;
	char digits[2 * MOST];
	size_t n = 0, places;
	uint64_t zeros;

	if (!e)
		e = s.n ? memchr(s.p, 'E', s.n) : NULL;
	if (!e)
		return sh_parse_u64(s, out);
	dot = memchr(s.p, '.', (size_t)(e - s.p));
	places = dot ? (size_t)(e - dot) - 1 : 0;
	if (s.n > MOST || e == s.p || dot == s.p || (dot && places == 0) ||
	    sh_parse_u64(sh_slice(e + 1, s.n - (size_t)(e + 1 - s.p)), &zeros) < 0 ||
	    places > zeros)
		return SH_NUM_MALFORMED;
	/* Writes the number without a power of ten, or with more digits than any number has. */
	for (const char *p = s.p; p < e; p++)
		if (p != dot)
			digits[n++] = *p;
	for (zeros -= places; zeros && n < sizeof digits; zeros--)
		digits[n++] = '0';
	return sh_parse_u64(sh_slice(digits, n), out);
}

/* Returns millionths * 2^shift / 10^6, rounded down. millionths is less than 10^6, so its product
 * with 2^44 fits. */
static uint64_t fraction_of(uint64_t millionths, unsigned shift)
{
	uint64_t fraction = (millionths << 44) / (uint64_t)SH_WEIGHT_ONE;

	return shift > 44 ? fraction << (shift - 44) : fraction >> (44 - shift);
}

/* Parses the number before a unit of 2^shift bytes. */
static int parse_units(struct sh_slice s, unsigned shift, uint64_t *bytes)
{
	int64_t millionths;
	int rc = sh_parse_millionths(s, &millionths);
	uint64_t whole;

	if (rc)
		return rc;
	whole = (uint64_t)(millionths / SH_WEIGHT_ONE);
	if (whole > UINT64_MAX >> shift)
		return SH_NUM_RANGE;
	*bytes = (whole << shift) + fraction_of((uint64_t)(millionths % SH_WEIGHT_ONE), shift);
	return SH_NUM_OK;
}

int sh_parse_size(struct sh_slice s, uint64_t *bytes)
{
	static const char units[] = "KMGTP";
	const char *unit;

	if (s.n == 0 || (s.p[s.n - 1] >= '0' && s.p[s.n - 1] <= '9'))
		return sh_parse_u64(s, bytes);
	unit = memchr(units, s.p[s.n - 1] & ~0x20, sizeof units - 1);
	if (!unit)
		return SH_NUM_MALFORMED;
	s.n--;
	return parse_units(s, 10 * (unsigned)(unit - units + 1), bytes);
}

size_t sh_print_u64(char *out, uint64_t x)
{
	char tmp[SH_NUM_CHARS];
	size_t i = sizeof tmp;

	do
		tmp[--i] = (char)('0' + x % 10);
	while (x /= 10);
	memcpy(out, tmp + i, sizeof tmp - i);
	return sizeof tmp - i;
}

size_t sh_print_weight(char *out, int64_t millionths)
{
	uint64_t part = (uint64_t)millionths % (uint64_t)SH_WEIGHT_ONE;
	size_t n = sh_print_u64(out, (uint64_t)millionths / (uint64_t)SH_WEIGHT_ONE), i;

	if (!part)
		return n;
	out[n++] = '.';
	for (i = SH_WEIGHT_PLACES; i-- > 0; part /= 10)
		out[n + i] = (char)('0' + part % 10);
	n += SH_WEIGHT_PLACES;
	while (out[n - 1] == '0')
		n--;
	return n;
}

size_t sh_print_hex(char *out, const uint64_t *w, size_t digits)
{
	for (size_t i = 0; i < digits; i++)
		out[i] = "0123456789abcdef"[w[i / 16] >> (60 - i % 16 * 4) & 15];
	return digits;
}

/* A word with the value x in each of its 8 bytes. */
#define BYTES(x) (UINT64_C(0x0101010101010101) * (x))

/* Converts 8 lower-case digits, all at once: joins read hundreds of millions of fingerprints. Sets
 * bits in *bad when a byte is no such digit; never clears bits. */
static uint64_t parse_hex8(const char *p, uint64_t *bad)
{
	uint64_t x = sh_le64(p), v;

	/* The letters, and no digits, have the bit of 64. */
	v = ((x & BYTES(0x0f)) + (x >> 6 & BYTES(1)) * 9) & BYTES(0x0f);
	/* A bad byte differs from the digit of its value. */
	*bad |= (v + BYTES('0') + ((v + BYTES(6)) >> 4 & BYTES(1)) * ('a' - '9' - 1)) ^ x;
	v = (v << 4 | v >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
	return __builtin_bswap32((uint32_t)(v | v >> 16));
}

int sh_parse_hex(struct sh_slice s, uint64_t *w)
{
	uint64_t bad = s.n == 0;

	for (size_t i = 0; i < s.n; i += 8) {
		char last[8] = { '0', '0', '0', '0', '0', '0', '0', '0' };
		const char *p = s.p + i;

		if (s.n - i < sizeof last)
			p = memcpy(last, p, s.n - i);
		if (i % 16 == 0)
			*w = parse_hex8(p, &bad) << 32;
		else
			*w++ |= parse_hex8(p, &bad);
	}
	return bad ? SH_NUM_MALFORMED : SH_NUM_OK;
}
