/* SPDX-License-Identifier: MIT */
#include "ingest/jis.h"

#include "unicode/utf8.h"

/* Returns the number of bytes of the escape that `in` begins with, and sets jis->set. Returns 0
 * when there is no known escape. */
static size_t escape(struct sh_slice in, struct sh_jis *jis)
{
	static const struct {
		char bytes[4];
		enum sh_jis_set set;
	} escapes[] = { { "\033(B", SH_JIS_ASCII }, { "\033(J", SH_JIS_ROMAN },
		{ "\033(I", SH_JIS_KATAKANA }, { "\033$@", SH_JIS_KANJI },
		{ "\033$B", SH_JIS_KANJI } };

	for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
		if (in.n >= 3 && memcmp(in.p, escapes[i].bytes, 3) == 0) {
			jis->set = escapes[i].set;
			return 3;
		}
	return 0;
}

static bool is_graphic(uint8_t c)
{
	return c > 0x20 && c < 0x7F;
}

/* Appends a character of JIS X 0208, by row and column, as two bytes of Shift_JIS. */
static int put_kanji(struct sh_buf *out, uint8_t lead, uint8_t trail, struct sh_error *err)
{
	unsigned row = lead - 0x21U, column = trail - 0x21U;
	uint8_t pair[2] = { (uint8_t)(row / 2 + (row < 62 ? 0x81 : 0xC1)),
		(uint8_t)(row % 2 ? column + 0x9F : column + 0x40 + (column >= 63)) };

	return sh_buf_add(out, pair, 2, err);
}

/* Converts the character at p, where no escape begins, by the current set. Returns its number of
 * bytes, or -1. Appends the character and sets *other to 0, or sets *other as sh_jis_run() does. */
static int character(const struct sh_jis *jis, const uint8_t *p, size_t n, struct sh_buf *out,
    uint32_t *other, struct sh_error *err)
{
	uint8_t kana = (uint8_t)(*p | 0x80);

	*other = SH_UTF8_ILL;
	if (*p == 0x1B || *p >= 0x7F + (jis->set <= SH_JIS_ROMAN))
		return 1;
	if (jis->set == SH_JIS_ROMAN && (*p == '\\' || *p == '~')) {
		*other = *p == '~' ? 0x203E : 0xA5;
		return 1;
	}
	/* Blanks and control characters are ASCII in all sets. */
	if (jis->set <= SH_JIS_ROMAN || !is_graphic(*p)) {
		*other = 0;
		return sh_buf_add(out, p, 1, err) < 0 ? -1 : 1;
	}
	if (jis->set == SH_JIS_KATAKANA) {
		if (kana > 0xDF)
			return 1;
		*other = 0;
		return sh_buf_add(out, &kana, 1, err) < 0 ? -1 : 1;
	}
	if (n < 2 || p[1] <= 0x20 || p[1] == 0x1B)
		return 1;
	if (!is_graphic(p[1]))
		return 2;
	*other = 0;
	return put_kanji(out, p[0], p[1], err) < 0 ? -1 : 2;
}

int sh_jis_run(struct sh_jis *jis, struct sh_buf *cp932, uint32_t *other, struct sh_error *err)
{
	*other = 0;
	while (jis->in.n && !*other) {
		int n = (int)escape(jis->in, jis);

		if (n == 0)
			n = character(
			    jis, (const uint8_t *)jis->in.p, jis->in.n, cp932, other, err);
		if (n < 0)
			return -1;
		jis->in = sh_slice(jis->in.p + n, jis->in.n - (size_t)n);
	}
	return *other != 0;
}
