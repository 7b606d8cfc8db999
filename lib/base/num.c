/* SPDX-License-Identifier: MIT */
#include "base/num.h"

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

/* Any number of 19 digits fits. Checks longer numbers for overflow at each digit. */
int sh_parse_u64(struct sh_slice s, uint64_t *out)
{
	uint64_t x = 0;
	unsigned d, bad = s.n == 0;
	size_t i, safe = s.n < 19 ? s.n : 19;

	for (i = 0; i < safe; i++) {
		d = (unsigned char)s.p[i] - (unsigned)'0';
		bad |= d > 9;
		x = x * 10 + d;
	}
	if (bad)
		return SH_NUM_MALFORMED;
	for (; i < s.n; i++) {
		d = (unsigned char)s.p[i] - (unsigned)'0';
		if (d > 9)
			return SH_NUM_MALFORMED;
		if (!bad && (x > UINT64_MAX / 10 || x * 10 > UINT64_MAX - d))
			bad = 1;
		x = x * 10 + d;
	}
	if (bad)
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

/* Multiplies *x by 10^zeros. Returns false when the product does not fit. */
static bool add_zeros(uint64_t *x, uint64_t zeros)
{
	for (; *x && zeros; zeros--)
		if (__builtin_mul_overflow(*x, UINT64_C(10), x))
			return false;
	return true;
}

int sh_parse_count(struct sh_slice s, uint64_t *out)
{
	const char *e = s.n ? memchr(s.p, 'e', s.n) : NULL, *dot;
	uint64_t whole, part = 0, zeros;
	size_t places;

	if (!e)
		e = s.n ? memchr(s.p, 'E', s.n) : NULL;
	if (!e)
		return sh_parse_u64(s, out);
	dot = memchr(s.p, '.', (size_t)(e - s.p));
	places = dot ? (size_t)(e - dot) - 1 : 0;
	if (sh_parse_u64(sh_slice(s.p, (size_t)((dot ? dot : e) - s.p)), &whole) < 0 ||
	    (dot && sh_parse_u64(sh_slice(dot + 1, places), &part) < 0) ||
	    sh_parse_u64(sh_slice(e + 1, s.n - (size_t)(e + 1 - s.p)), &zeros) < 0 ||
	    places > zeros)
		return SH_NUM_MALFORMED;
	if (!add_zeros(&whole, zeros) || !add_zeros(&part, zeros - places) ||
	    __builtin_add_overflow(whole, part, &whole))
		return SH_NUM_RANGE;
	*out = whole;
	return SH_NUM_OK;
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
	const char *dot = s.n ? memchr(s.p, '.', s.n) : NULL;
	int64_t millionths = 0;
	uint64_t whole = 0;
	int rc = dot ? sh_parse_millionths(s, &millionths) : SH_NUM_OK;

	if (rc == SH_NUM_OK && dot != s.p)
		rc = sh_parse_u64(dot ? sh_slice(s.p, (size_t)(dot - s.p)) : s, &whole);
	if (rc)
		return rc;
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
