/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/num.h"
#include "unicode/script.h"
#include "unicode/utf8.h"

enum { LANG_CHARACTERS = 2000 };

void sh_html_free(struct sh_html *h)
{
	sh_buf_free(&h->buf);
}

static void add(struct sh_html *h, const void *p, size_t n)
{
	if (!h->failed && sh_buf_add(&h->buf, p, n, &h->err) < 0)
		h->failed = true;
}

void sh_html_raw(struct sh_html *h, const char *markup)
{
	add(h, markup, strlen(markup));
}

void sh_html_format(struct sh_html *h, const char *fmt, ...)
{
	char line[512];
	va_list list;
	int n;

	va_start(list, fmt);
	n = vsnprintf(line, sizeof line, fmt, list);
	va_end(list);
	if (n < 0 || (size_t)n >= sizeof line) {
		sh_error_set(&h->err, SH_ERR_RANGE, "a piece of the page is too long");
		h->failed = true;
		return;
	}
	add(h, line, (size_t)n);
}

/* Returns the character at *p as the page shows it, and moves *p behind it. */
static uint32_t next_shown(const uint8_t **p, const uint8_t *end)
{
	uint32_t c = sh_utf8_next(p, end);

	if (c == '\r') {
		if (*p < end && **p == '\n')
			++*p;
		return '\n';
	}
	if (c == SH_UTF8_ILL || (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0))
		return SH_UTF8_REPLACEMENT;
	return c;
}

static const char *reference(uint32_t c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	return NULL;
}

void sh_html_text(struct sh_html *h, struct sh_slice text)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;

	while (p < end && !h->failed) {
		uint32_t c = next_shown(&p, end);
		const char *name = reference(c);
		uint8_t utf8[4];

		if (name)
			sh_html_raw(h, name);
		else
			add(h, utf8, sh_utf8_put(utf8, c));
	}
}

void sh_html_json(struct sh_html *h, struct sh_slice text)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;

	add(h, "\"", 1);
	while (p < end && !h->failed) {
		uint32_t c = next_shown(&p, end);
		uint8_t utf8[4];

		if (c < 0x20 || c == '\\' || reference(c))
			sh_html_format(h, "\\u%04x", c);
		else
			add(h, utf8, sh_utf8_put(utf8, c));
	}
	add(h, "\"", 1);
}

const char *sh_html_count(char to[SH_HTML_COUNT], uint64_t n)
{
	char digits[SH_NUM_CHARS], *p = to;
	size_t len = sh_print_u64(digits, n);

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = '\0';
	return to;
}

const char *sh_html_lang(struct sh_slice text)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;
	unsigned count[SH_SCRIPT_COUNT] = { 0 }, n = 0;

	for (; p < end && n < LANG_CHARACTERS; n++) {
		uint32_t c = sh_utf8_next(&p, end);

		if (c >= 0x80 && c < SH_UTF8_ILL)
			count[sh_script_of(c)]++;
	}
	if (count[SH_SCRIPT_KANA] * 20 > n)
		return " lang=\"ja\"";
	if (count[SH_SCRIPT_HANGUL] * 5 > n)
		return " lang=\"ko\"";
	return count[SH_SCRIPT_HAN] * 5 > n ? " lang=\"zh\"" : "";
}
