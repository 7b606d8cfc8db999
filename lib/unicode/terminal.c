/* SPDX-License-Identifier: MIT */
#include "unicode/terminal.h"

#include <utf8proc.h>

#include "unicode/utf8.h"

bool sh_commands_terminal(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
	       (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

int sh_terminal_columns(
    struct sh_slice *text, unsigned width, struct sh_buf *out, struct sh_error *err)
{
	const uint8_t *p = (const uint8_t *)text->p, *end = p + text->n;
	unsigned used = 0;

	while (p < end) {
		const uint8_t *next = p;
		uint32_t c = sh_utf8_next(&next, end);
		int columns;

		if (c == SH_UTF8_ILL)
			c = SH_UTF8_REPLACEMENT;
		if (sh_commands_terminal(c))
			c = ' ';
		columns = utf8proc_charwidth((utf8proc_int32_t)c);
		if (columns < 0)
			columns = 1;
		if (used + (unsigned)columns > width)
			break;
		if (sh_buf_reserve(out, 4, err) < 0)
			return -1;
		out->n += sh_utf8_put((uint8_t *)out->p + out->n, c);
		used += (unsigned)columns;
		p = next;
	}
	*text = sh_slice((const char *)p, (size_t)(end - p));
	for (; used < width; used++)
		if (sh_buf_add(out, " ", 1, err) < 0)
			return -1;
	return 0;
}
