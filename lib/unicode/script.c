/* SPDX-License-Identifier: MIT */
#include "unicode/script.h"

#include <stddef.h>

struct range {
	uint32_t first, last;
	enum sh_script script; /* in SCRIPT_RANGES */
};

#include "unicode/scripts.inc"

/* Returns the range of a code point in an ascending table, or NULL. */
static const struct range *find(const struct range *table, size_t n, uint32_t c)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (c > table[mid].last)
			lo = mid + 1;
		else if (c < table[mid].first)
			hi = mid;
		else
			return &table[mid];
	}
	return NULL;
}

enum sh_script sh_script_of(uint32_t c)
{
	const struct range *r =
	    find(SCRIPT_RANGES, sizeof SCRIPT_RANGES / sizeof *SCRIPT_RANGES, c);

	return r ? r->script : SH_SCRIPT_OTHER;
}

bool sh_is_white_space(uint32_t c)
{
	return c == ' ' || (c >= 9 && c <= 13) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
	       c == 0x205F || c == 0x3000;
}

bool sh_composes_back(uint32_t c)
{
	return find(COMPOSING_RANGES, sizeof COMPOSING_RANGES / sizeof *COMPOSING_RANGES, c);
}
