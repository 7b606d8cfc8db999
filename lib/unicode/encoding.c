/* SPDX-License-Identifier: MIT */
#include "unicode/encoding.h"

#include <string.h>

#include "unicode/utf8.h"

enum { BLOCK = 1 << 16 };

static const struct {
	char bytes[5];
	size_t n;
	enum sh_encoding encoding;
} MARKS[] = {
	/* The first matching row is used. UTF-32LE must come before UTF-16LE,
	 * whose mark begins the same. */
	{ "\xEF\xBB\xBF", 3, SH_ENC_UTF8_BOM },
	{ "\xFF\xFE\0\0", 4, SH_ENC_UTF32LE },
	{ "\0\0\xFE\xFF", 4, SH_ENC_UTF32BE },
	{ "\xFF\xFE", 2, SH_ENC_UTF16LE },
	{ "\xFE\xFF", 2, SH_ENC_UTF16BE },
};

/* Counts of n bytes read as UTF-8, without an incomplete sequence at the end. */
struct utf8_count {
	size_t ill;       /* ill-formed sequences */
	size_t multibyte; /* characters beyond ASCII */
	size_t nul;       /* NULs */
};

static struct utf8_count count_utf8(const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	struct utf8_count u = { 0 };

	while (p < end) {
		uint32_t c = sh_utf8_next(&p, end);

		if (c == SH_UTF8_ILL)
			u.ill += p < end;
		else
			u.multibyte += c >= 0x80;
		u.nul += c == 0;
	}
	return u;
}

/* Returns whether c is in a block of ordinary text. Bytes of other encodings, read as UTF-16, are
 * mostly in other blocks, such as the private use area and the surrogates. */
static bool is_plausible(unsigned c)
{
	if (c < 0x20)
		return c == '\t' || c == '\n' || c == '\r';
	return (c < 0x1100 && (c < 0x7F || c >= 0xA0)) || (c >= 0x1E00 && c < 0x2700) ||
	       (c >= 0x3000 && c < 0x3400) || (c >= 0x4E00 && c < 0xA000) ||
	       (c >= 0xAC00 && c < 0xD7A4) || (c >= 0xFE30 && c < 0xFFF0);
}

/* Recognises UTF-16 without a byte order mark. high: index of the high byte in each pair of bytes. All
 * text has spaces, digits and line ends, so its UTF-16 has NULs. When the bytes are also well-formed
 * UTF-8, nearly all units must be alphabetic: the high bytes of alphabets do not occur in ASCII text.
 * Otherwise nearly all units must be plausible. */
static bool is_utf16(const uint8_t *p, size_t n, size_t high, struct utf8_count utf8)
{
	size_t units = n / 2, ascii = 0, plausible = 0;
	size_t alphabetic = 0; /* plausible, and below U+1000 or general punctuation */

	for (size_t i = 0; i < units; i++, p += 2) {
		unsigned hi = p[high], c = hi << 8 | p[1 - high];
		bool good = is_plausible(c);

		plausible += good;
		ascii += good && c < 0x7F;
		alphabetic += good && (c < 0x1000 || hi == 0x20);
	}
	if (units < 8 || ascii * 100 < units)
		return false;
	if (utf8.ill * 5 <= utf8.multibyte)
		return alphabetic * 100 >= units * 98;
	return plausible * 100 >= units * 97;
}

/* Counts of n bytes read as ASCII and pairs of a lead and a trail byte. */
struct pair_count {
	size_t pairs, bad;
	size_t high_trail; /* trail byte from 0xA1 on */
	/* characters of GB2312 level 1, which is ordered by pronunciation, and punctuation */
	size_t gb_common;
	size_t gb_late;     /* the second half of level 1, which EUC-KR hardly uses */
	size_t gb_frequent; /* see FREQUENT */
	size_t kana;        /* kana of GB2312 and EUC-JP */
	size_t big5_common; /* Big5 level 1 and punctuation */
};

/* Returns the length of the GB18030 character at p: 1, 2 or 4 bytes; 0 when there is none. */
static size_t gb_width(const uint8_t *p, size_t left)
{
	if (p[0] < 0x80)
		return 1;
	if (p[0] == 0x80 || p[0] == 0xFF || left < 2)
		return 0;
	if (p[1] >= 0x40 && p[1] != 0x7F && p[1] != 0xFF)
		return 2;
	if (left < 4 || p[1] < '0' || p[1] > '9')
		return 0;
	return p[2] >= 0x81 && p[2] < 0xFF && p[3] >= '0' && p[3] <= '9' ? 4 : 0;
}

/* Frequent characters of GB2312: punctuation and U+7684. Thai text in TIS-620 also has pairs in the
 * common rows, but nearly no frequent character. */
static const uint16_t FREQUENT[] = { 0xA1A2, 0xA1A3, 0xA3A8, 0xA3A9, 0xA3AC, 0xA3BA, 0xA3BB,
	0xB5C4 };

static bool is_frequent(uint8_t lead, uint8_t trail)
{
	for (size_t i = 0; i < sizeof FREQUENT / sizeof *FREQUENT; i++)
		if (FREQUENT[i] == (lead << 8 | trail))
			return true;
	return false;
}

static void count_pair(struct pair_count *k, uint8_t lead, uint8_t trail)
{
	bool high = trail >= 0xA1;

	k->pairs++;
	k->high_trail += high;
	k->gb_common += high && ((lead >= 0xB0 && lead <= 0xD7) || lead == 0xA1 || lead == 0xA3);
	k->gb_late += high && lead >= 0xC9 && lead <= 0xD7;
	k->gb_frequent += is_frequent(lead, trail);
	k->kana += high && (lead == 0xA4 || lead == 0xA5);
	k->big5_common +=
	    (high || trail < 0x80) && ((lead >= 0xA4 && lead <= 0xC6) || lead == 0xA1);
}

static struct pair_count count_pairs(const uint8_t *p, size_t n)
{
	struct pair_count k = { 0 };

	for (size_t i = 0, width; i < n; i += width ? width : 1) {
		width = gb_width(p + i, n - i);
		if (width == 2)
			count_pair(&k, p[i], p[i + 1]);
		k.bad += !width && n - i >= 4; /* a character at the end may be incomplete */
	}
	return k;
}

static bool is_percent(size_t part, size_t of, size_t percent)
{
	return part * 100 >= of * percent;
}

/* Guesses the encoding of bytes that are not UTF-8. Text in single-byte encodings has single high
 * bytes, or pairs that end with a letter. Japanese and Korean text has pairs in other rows. */
static enum sh_encoding guess_pairs(const uint8_t *p, size_t n)
{
	struct pair_count k = count_pairs(p, n);

	if (k.pairs < 12 || k.bad * 50 > k.pairs)
		return SH_ENC_UNKNOWN8BIT;
	if (is_percent(k.high_trail, k.pairs, 90) && is_percent(k.gb_common, k.pairs, 75) &&
	    is_percent(k.gb_late, k.pairs, 8) && is_percent(k.gb_frequent, k.pairs, 1) &&
	    !is_percent(k.kana, k.pairs, 2))
		return SH_ENC_GB18030;
	if (is_percent(k.big5_common, k.pairs, 90) && is_percent(k.high_trail, k.pairs, 35) &&
	    !is_percent(k.high_trail, k.pairs, 80))
		return SH_ENC_BIG5;
	return SH_ENC_UNKNOWN8BIT;
}

enum sh_encoding sh_encoding_guess(const char *text, size_t n)
{
	enum { FEW = 8 };
	const uint8_t *p = (const uint8_t *)text;
	struct utf8_count utf8;

	for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
		if (n >= MARKS[i].n && memcmp(p, MARKS[i].bytes, MARKS[i].n) == 0)
			return MARKS[i].encoding;
	if (n > BLOCK)
		n = BLOCK;
	utf8 = count_utf8(p, n);
	if (utf8.nul && is_utf16(p, n, 0, utf8))
		return SH_ENC_UTF16BE;
	if (utf8.nul && is_utf16(p, n, 1, utf8))
		return SH_ENC_UTF16LE;
	/* In damaged UTF-8 most sequences are well-formed. In other encodings hardly any is. */
	if (utf8.ill <= FEW || utf8.ill <= utf8.multibyte)
		return SH_ENC_UTF8;
	return guess_pairs(p, n);
}

bool sh_encoding_may_be_gb(const char *text, size_t n)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t end = n < BLOCK ? n : BLOCK, pairs = 0, common = 0;
	struct utf8_count utf8 = count_utf8(p, end);

	if (utf8.ill <= utf8.multibyte)
		return false;
	for (size_t i = 0; i < end; i++) {
		if (p[i] < 0x80)
			continue;
		if (i + 1 == end)
			return false;
		/* The rows of GB2312 that have characters. */
		if (p[i] < 0xA1 || p[i] > 0xF7 || p[i + 1] < 0xA1 || p[i + 1] == 0xFF)
			return false;
		pairs++;
		common += (p[i] >= 0xB0 && p[i] <= 0xD7) || p[i] == 0xA1 || p[i] == 0xA3;
		i++;
	}
	return pairs >= 2 && is_percent(common, pairs, 75);
}

const char *sh_encoding_iconv_name(enum sh_encoding e)
{
	/* With these names, iconv converts a byte order mark to the mark of UTF-8. */
	static const char *const NAMES[] = {
		[SH_ENC_UTF16LE] = "UTF-16LE",
		[SH_ENC_UTF16BE] = "UTF-16BE",
		[SH_ENC_UTF32LE] = "UTF-32LE",
		[SH_ENC_UTF32BE] = "UTF-32BE",
		[SH_ENC_GB18030] = "GB18030",
		[SH_ENC_BIG5] = "BIG5",
		[SH_ENC_UNKNOWN8BIT] = NULL,
	};

	return NAMES[e];
}
