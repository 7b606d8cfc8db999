/* SPDX-License-Identifier: MIT */
/* Converts text from a given charset. */
#include <errno.h>

#include "ingest/charset.h"
#include "unicode/utf8.h"

static void close_converter(struct sh_converter *v)
{
	if (*v->name)
		iconv_close(v->iconv);
	*v->name = '\0';
}

void sh_charset_free(struct sh_charset *c)
{
	for (size_t i = 0; i < SH_CHARSET_OPEN; i++)
		close_converter(&c->all[i]);
	sh_buf_free(&c->room);
}

/* Opens the converter in place of the one that was opened first, or resets the open one. */
static bool open_converter(struct sh_charset *c, const char *name)
{
	struct sh_converter *v = &c->all[c->next];

	if (!*name)
		return false;
	for (size_t i = 0; i < SH_CHARSET_OPEN; i++)
		if (strcmp(c->all[i].name, name) == 0) {
			c->open = &c->all[i];
			iconv(c->open->iconv, NULL, NULL, NULL, NULL);
			return true;
		}
	close_converter(v);
	v->iconv = iconv_open("UTF-8", name);
	if (v->iconv == (iconv_t)-1 && strcmp(name, "EUC-JP-MS") == 0)
		v->iconv = iconv_open("UTF-8", "EUC-JP");
	if (v->iconv == (iconv_t)-1)
		return false;
	strcpy(v->name, name);
	c->open = v;
	c->next = (c->next + 1) % SH_CHARSET_OPEN;
	return true;
}

bool sh_charset_known(struct sh_charset *c, const char *label)
{
	char name[SH_CHARSET_NAME];

	sh_charset_canonical(label, name);
	return strcmp(name, "UTF-8") == 0 ||
	       open_converter(c, strcmp(name, "HZ") == 0 ? "GB18030" : name);
}

static int replace(struct sh_buf *out, uint64_t *ill, struct sh_error *err)
{
	++*ill;
	return sh_buf_add(out, "\xEF\xBF\xBD", 3, err);
}

int sh_charset_repair(struct sh_slice in, struct sh_buf *out, uint64_t *ill, struct sh_error *err)
{
	const uint8_t *p = (const uint8_t *)in.p, *end = p + in.n, *from = p;

	while (p < end) {
		const uint8_t *at = p;

		if (sh_utf8_next(&p, end) != SH_UTF8_ILL)
			continue;
		if (sh_buf_add(out, from, (size_t)(at - from), err) < 0 ||
		    replace(out, ill, err) < 0)
			return -1;
		from = p;
	}
	return sh_buf_add(out, from, (size_t)(end - from), err);
}

/* Returns the number of bytes of a code unit. */
static size_t unit_of(const char *name)
{
	static const struct {
		const char *part;
		size_t bytes;
	} units[] = { { "UTF-16", 2 }, { "UTF16", 2 }, { "UCS-2", 2 }, { "UCS2", 2 },
		{ "UNICODE", 2 }, { "UTF-32", 4 }, { "UTF32", 4 }, { "UCS-4", 4 }, { "UCS4", 4 } };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strstr(name, units[i].part))
			return units[i].bytes;
	return 1;
}

bool sh_charset_is_wide(const char *label)
{
	char name[SH_CHARSET_NAME];

	sh_charset_canonical(label, name);
	return unit_of(name) > 1;
}

/* Writes the letter that some converters hold back, since a combining mark may follow. The letter
 * must come before the replacement of the ill-formed bytes. Converters with escapes are not
 * flushed: a flush makes them forget the current set. */
static int give_held(struct sh_charset *c, struct sh_buf *out, struct sh_error *err)
{
	char *to;
	size_t left;

	if (strstr(c->open->name, "2022") || strstr(c->open->name, "UTF-7"))
		return 0;
	if (sh_buf_reserve(out, 64, err) < 0)
		return -1;
	to = out->p + out->n;
	left = out->cap - out->n;
	iconv(c->open->iconv, NULL, NULL, &to, &left);
	out->n = (size_t)(to - out->p);
	return 0;
}

/* Returns the number of bytes to replace at p, for charsets with units of one byte. Both bytes of
 * an undefined pair are replaced, so that decoding does not go on within the pair. A second byte
 * below `trail` is kept as text, as browsers do. */
static size_t wrong_bytes(const char *name, const uint8_t *p, size_t n, uint8_t trail)
{
	static const char *const paired[] = { "GB18030", "BIG5", "CP932", "EUC-", "UHC" };
	size_t most = strncmp(name, "EUC-", 4) == 0 && p[0] == 0x8F ? 3 : 2, wrong = 1;

	for (size_t i = 0; i < sizeof paired / sizeof *paired; i++)
		if (strncmp(name, paired[i], strlen(paired[i])) == 0 && p[0] > 0x80 &&
		    p[0] != 0xA0 && p[0] < 0xFF)
			while (wrong < most && wrong < n && p[wrong] >= trail)
				wrong++;
	return wrong;
}

/* Converts by the open converter. Replaces ill-formed input: code unit by code unit, or by
 * wrong_bytes() when a unit is one byte. */
static int convert(struct sh_charset *c, struct sh_slice in, uint8_t trail, struct sh_buf *out,
    uint64_t *ill, struct sh_error *err)
{
	char *p = (char *)(uintptr_t)in.p, *to;
	size_t n = in.n, left, unit = unit_of(c->open->name);
	bool flushed = false;

	for (;;) {
		size_t got, skip;

		if (sh_buf_reserve(out, n + n / 2 + 64, err) < 0)
			return -1;
		to = out->p + out->n;
		left = out->cap - out->n;
		got = n ? iconv(c->open->iconv, &p, &n, &to, &left)
			: iconv(c->open->iconv, NULL, NULL, &to, &left);
		out->n = (size_t)(to - out->p);
		if (got != (size_t)-1) {
			if (n == 0 && flushed)
				return 0;
			flushed = n == 0;
		} else if (errno == EILSEQ || errno == EINVAL) {
			bool cut = errno == EINVAL || n <= unit;

			if (give_held(c, out, err) < 0 || replace(out, ill, err) < 0)
				return -1;
			skip = cut        ? n
			       : unit > 1 ? unit
					  : wrong_bytes(c->open->name, (uint8_t *)p, n, trail);
			p += skip;
			n -= skip;
		} else if (errno != E2BIG) {
			return sh_error_sys(err, "cannot convert from %s", c->open->name);
		}
	}
}

/* Writes a character of JIS X 0208 as two bytes of Shift_JIS. */
static void put_kanji(uint8_t *to, const uint8_t *p)
{
	unsigned row = p[0] - 0x21U, column = p[1] - 0x21U;

	to[0] = (uint8_t)(row / 2 + (row < 62 ? 0x81 : 0xC1));
	to[1] = (uint8_t)(row % 2 ? column + 0x9F : column + 0x40 + (column >= 63));
}

/* Converts ISO-2022-JP, an encoding of Japanese mail, as the Encoding Standard of the web does:
 * with the characters that programs of Windows write and iconv's own ISO-2022-JP lacks, such as
 * circled digits and halfwidth katakana. The open converter is that of CP932. */
static int convert_jis(struct sh_charset *c, struct sh_slice in, struct sh_buf *out, uint64_t *ill,
    struct sh_error *err)
{
	enum { ASCII, ROMAN, KATAKANA, KANJI, SETS = 5 };
	static const char escapes[SETS][4] = { "\033(B", "\033(J", "\033(I", "\033$B", "\033$@" };
	const uint8_t *p = (const uint8_t *)in.p, *end = p + in.n;
	unsigned set = ASCII, next;

	c->room.n = 0;
	if (sh_buf_reserve(&c->room, in.n + 1, err) < 0)
		return -1;
	while (p < end) {
		uint8_t *to = (uint8_t *)c->room.p + c->room.n, utf8[4];
		uint32_t other = 0; /* a character that CP932 lacks, or SH_UTF8_ILL */
		size_t n = 1;

		for (next = 0; next < SETS; next++)
			if (end - p >= 3 && memcmp(p, escapes[next], 3) == 0)
				break;
		if (next < SETS) {
			set = next;
			p += 3;
			continue;
		}
		/* Blanks and control characters are ASCII in all sets. */
		if (*p == 0x1B || *p >= 0x7F + (set <= ROMAN)) {
			other = SH_UTF8_ILL;
		} else if (set == ROMAN && (*p == '\\' || *p == '~')) {
			other = *p == '~' ? 0x203E : 0xA5;
		} else if (set <= ROMAN || *p <= 0x20) {
			*to = *p;
		} else if (set == KATAKANA) {
			*to = *p | 0x80;
			other = *to > 0xDF ? SH_UTF8_ILL : 0;
		} else if (end - p < 2 || p[1] <= 0x20 || p[1] == 0x1B) {
			other = SH_UTF8_ILL;
		} else {
			n = 2;
			other = p[1] >= 0x7F ? SH_UTF8_ILL : 0;
			put_kanji(to, p);
		}
		p += n;
		c->room.n += other ? 0 : n;
		if (!other)
			continue;
		if (convert(c, sh_buf_slice(&c->room), 0x40, out, ill, err) < 0)
			return -1;
		c->room.n = 0;
		if ((other == SH_UTF8_ILL
			    ? replace(out, ill, err)
			    : sh_buf_add(out, utf8, sh_utf8_put(utf8, other), err)) < 0)
			return -1;
	}
	return convert(c, sh_buf_slice(&c->room), 0x40, out, ill, err);
}

/* Converts HZ (RFC 1843): between "~{" and "~}", or the end of the line, two bytes are a character
 * of GB 2312. The open converter is that of GB18030. */
static int convert_hz(struct sh_charset *c, struct sh_slice in, struct sh_buf *out, uint64_t *ill,
    struct sh_error *err)
{
	const char *p = in.p, *end = in.p + in.n;
	bool gb = false;

	c->room.n = 0;
	if (sh_buf_reserve(&c->room, in.n + 1, err) < 0)
		return -1;
	while (p < end) {
		char next = end - p > 1 ? p[1] : '\0';
		char *to = c->room.p + c->room.n;

		if (*p == '~' && (next == '{' || next == '}' || next == '\n')) {
			gb = next == '{';
			p += 2;
		} else if (*p == '~' && next == '~' && !gb) {
			*to = '~';
			c->room.n++;
			p += 2;
		} else if (gb && *p > 0x20 && next > 0x20) {
			to[0] = (char)(*p | 0x80);
			to[1] = (char)(next | 0x80);
			c->room.n += 2;
			p += 2;
		} else {
			gb = gb && *p != '\n';
			*to = *p++;
			c->room.n++;
		}
	}
	return convert(c, sh_buf_slice(&c->room), 0x80, out, ill, err);
}

/* Repairs the output of iconv from `from` on. Under other names of UTF-8, iconv copies obsolete
 * sequences of five bytes. */
static int repair_from(
    struct sh_charset *c, struct sh_buf *out, size_t from, uint64_t *ill, struct sh_error *err)
{
	size_t n = out->n - from;

	if (n == 0 || sh_utf8_valid(out->p + from, n))
		return 0;
	c->room.n = 0;
	if (sh_buf_add(&c->room, out->p + from, n, err) < 0)
		return -1;
	out->n = from;
	return sh_charset_repair(sh_buf_slice(&c->room), out, ill, err);
}

int sh_charset_decode_as(struct sh_charset *c, const char *name, struct sh_slice in,
    struct sh_buf *out, uint64_t *ill, struct sh_error *err)
{
	size_t from = out->n;

	*ill = 0;
	if (strcmp(name, "UTF-8") == 0)
		return sh_charset_repair(in, out, ill, err) < 0 ? -1 : 1;
	if (strcmp(name, "ISO-2022-JP") == 0 && open_converter(c, "CP932"))
		return convert_jis(c, in, out, ill, err) < 0 ? -1 : 1;
	if (strcmp(name, "HZ") == 0 && open_converter(c, "GB18030"))
		return convert_hz(c, in, out, ill, err) < 0 ? -1 : 1;
	if (!open_converter(c, name))
		return 0;
	if (convert(c, in, 0x80, out, ill, err) < 0 || repair_from(c, out, from, ill, err) < 0)
		return -1;
	return 1;
}
