/* SPDX-License-Identifier: MIT */
#include "unicode/utf8.h"

#include <string.h>

/* A row of table 3-7 of the Unicode standard, for a range of first bytes. Rows are in ascending
 * order. Bytes behind the second are 80..BF. */
struct lead {
	uint8_t first, last;
	uint8_t follow; /* number of bytes behind the first */
	uint8_t second_min, second_max;
};

static const struct lead LEADS[] = {
	{ 0xC2, 0xDF, 1, 0x80, 0xBF },
	{ 0xE0, 0xE0, 2, 0xA0, 0xBF },
	{ 0xE1, 0xEC, 2, 0x80, 0xBF },
	{ 0xED, 0xED, 2, 0x80, 0x9F }, /* without surrogates */
	{ 0xEE, 0xEF, 2, 0x80, 0xBF },
	{ 0xF0, 0xF0, 3, 0x90, 0xBF },
	{ 0xF1, 0xF3, 3, 0x80, 0xBF },
	{ 0xF4, 0xF4, 3, 0x80, 0x8F },
};

uint32_t sh_utf8_next_checked(const uint8_t **pp, const uint8_t *end)
{
	const uint8_t *p = *pp;
	uint32_t c = *p++;
	const struct lead *row = LEADS, *stop = LEADS + sizeof LEADS / sizeof *LEADS;
	unsigned left;

	*pp = p;
	if (c < 0x80)
		return c;
	while (row < stop && c > row->last)
		row++;
	if (row == stop || c < row->first || p == end)
		return SH_UTF8_ILL;
	if (*p < row->second_min || *p > row->second_max)
		return SH_UTF8_ILL;
	c = (c & (0x3FU >> row->follow)) << 6 | (*p++ & 63);
	for (left = row->follow - 1U; left && p < end && sh_utf8_is_tail(*p); left--)
		c = c << 6 | (*p++ & 63);
	*pp = p;
	return left ? SH_UTF8_ILL : c;
}

uint64_t sh_utf8_count_ill(const char *text, size_t n)
{
	const uint8_t *p = (const uint8_t *)text, *end = n ? p + n : p;
	uint64_t ill = 0, word;

	while (p < end) {
		if (end - p >= 8) {
			memcpy(&word, p, 8);
			if (!(word & UINT64_C(0x8080808080808080))) {
				p += 8;
				continue;
			}
		}
		ill += sh_utf8_next(&p, end) == SH_UTF8_ILL;
	}
	return ill;
}
