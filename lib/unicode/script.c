#include "unicode/script.h"

#include <stddef.h>

struct range {
	uint32_t first, last;
};

struct script_range {
	uint32_t first, last;
	enum sh_script script;
};

#include "unicode/scripts.inc"

enum sh_script sh_script_of(uint32_t c)
{
	size_t lo = 0, hi = sizeof SCRIPT_RANGES / sizeof *SCRIPT_RANGES;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (c > SCRIPT_RANGES[mid].last)
			lo = mid + 1;
		else if (c < SCRIPT_RANGES[mid].first)
			hi = mid;
		else
			return SCRIPT_RANGES[mid].script;
	}
	return SH_SCRIPT_OTHER;
}

bool sh_composes_back(uint32_t c)
{
	size_t lo = 0, hi = sizeof COMPOSING_RANGES / sizeof *COMPOSING_RANGES;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (c > COMPOSING_RANGES[mid].last)
			lo = mid + 1;
		else if (c < COMPOSING_RANGES[mid].first)
			hi = mid;
		else
			return true;
	}
	return false;
}
