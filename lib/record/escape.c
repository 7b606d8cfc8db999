/* SPDX-License-Identifier: MIT */
#include "record/escape.h"

int sh_unescape(struct sh_slice text, struct sh_buf *out, struct sh_error *err)
{
	const char *p = text.p, *end = text.n ? p + text.n : p;

	if (sh_buf_reserve(out, text.n, err) < 0)
		return -1;
	while (p < end) {
		char c = *p++;

		if (c == '\\' && p < end && sh_unescaped(*p))
			c = sh_unescaped(*p++);
		out->p[out->n++] = c;
	}
	return 0;
}

uint64_t sh_unescaped_length(struct sh_slice text)
{
	const char *p = text.p, *end = text.n ? p + text.n : p;
	uint64_t n = text.n;

	while (p < end && (p = memchr(p, '\\', (size_t)(end - p)))) {
		bool escape = p + 1 < end && sh_unescaped(p[1]);

		n -= escape;
		p += 1 + escape;
	}
	return n;
}

int sh_escape(struct sh_slice text, struct sh_buf *out, struct sh_error *err)
{
	if (sh_buf_reserve(out, 2 * text.n, err) < 0)
		return -1;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		char letter = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c;

		if (letter != c || c == '\\')
			out->p[out->n++] = '\\';
		out->p[out->n++] = letter;
	}
	return 0;
}

bool sh_is_escaped(struct sh_slice text)
{
	const char *p = text.p, *end = text.n ? p + text.n : p;

	if (text.n &&
	    (memchr(p, '\t', text.n) || memchr(p, '\n', text.n) || memchr(p, '\r', text.n)))
		return false;
	while (p < end && (p = memchr(p, '\\', (size_t)(end - p)))) {
		if (end - p < 2 || !sh_unescaped(p[1]))
			return false;
		p += 2;
	}
	return true;
}
