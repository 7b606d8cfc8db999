/* SPDX-License-Identifier: MIT */
#include "ingest/charset.h"

#include <stdio.h>
#include <strings.h>
#include <utf8proc.h>

#include "unicode/encoding.h"
#include "unicode/utf8.h"

#ifdef SH_HAVE_UCHARDET
#include <uchardet.h>
#endif

enum { DETECT_BYTES = 256 * 1024, SAMPLE_BYTES = 4096 };

const char *sh_charset_reason(enum sh_charset_why why)
{
	static const char *const reasons[] = {
		[SH_CHARSET_MARK] = "by its byte order mark",
		[SH_CHARSET_FORCED] = "--from-charset",
		[SH_CHARSET_DECLARED] = "declared",
		[SH_CHARSET_UTF8] = "well-formed",
		[SH_CHARSET_OVERRULED] = "well-formed; the declared charset does not fit",
		[SH_CHARSET_DETECTED] = "detected",
		[SH_CHARSET_CONTRADICTED] = "detected; the declared charset does not fit",
		[SH_CHARSET_ASSUMED] = "assumed",
	};

	return reasons[why];
}

/* Returns whether most characters beyond ASCII are well-formed. This holds for damaged text of this
 * charset, but hardly ever for text of another charset. */
static bool mostly_right(const struct sh_buf *out, size_t from, uint64_t ill)
{
	uint64_t beyond = 0;

	if (ill == 0)
		return true;
	for (size_t i = from; i < out->n; i++)
		beyond += (unsigned char)out->p[i] >= 0xC0;
	return beyond - ill > ill;
}

/* ---- guessing ---- */

/* Returns whether the text has HZ: between "~{" and "~}" at least four pairs, most of them in the
 * rows of frequent characters and punctuation. Format strings of Lisp have other pairs. */
static bool is_hz(struct sh_slice in)
{
	const char *p = in.p, *end = in.p + in.n;
	size_t pairs = 0, common = 0;

	while ((p = memmem(p, (size_t)(end - p), "~{", 2))) {
		for (p += 2; end - p >= 2 && *p > 0x20 && *p < 0x78 && p[1] > 0x20; p += 2) {
			pairs++;
			common += (*p >= 0x30 && *p <= 0x57) || *p == 0x21 || *p == 0x23;
		}
		if (end - p >= 2 && memcmp(p, "~}", 2) != 0 && *p != '\n' && *p != '\r')
			return false;
	}
	return pairs >= 4 && common * 4 >= pairs * 3;
}

const char *sh_charset_shifted(struct sh_slice in)
{
	const char *p = in.p, *end = in.p + in.n, *name = NULL;

	for (; (p = memchr(p, 0x1B, (size_t)(end - p))) && end - p >= 4; p++) {
		if (p[1] != '$')
			continue;
		if (p[2] == 'A' || (p[2] == '(' && (p[3] == 'C' || p[3] == 'D')))
			return "ISO-2022-JP-2";
		if (p[2] == ')' && (p[3] == 'C' || p[3] == 'A'))
			return p[3] == 'C' ? "ISO-2022-KR" : "ISO-2022-CN";
		if (p[2] == 'B' || p[2] == '@')
			name = "ISO-2022-JP";
	}
	return name ? name : is_hz(in) ? "HZ" : NULL;
}

/* Sets `name` to the guess of libuchardet, or to "". */
static void detect(struct sh_slice in, char name[SH_CHARSET_NAME])
{
	name[0] = '\0';
#ifdef SH_HAVE_UCHARDET
	uchardet_t d = uchardet_new();

	if (d && uchardet_handle_data(d, in.p, in.n < DETECT_BYTES ? in.n : DETECT_BYTES) == 0) {
		uchardet_data_end(d);
		sh_charset_canonical(uchardet_get_charset(d), name);
	}
	if (d)
		uchardet_delete(d);
#else
	(void)in;
#endif
}

/* ---- charsets of the Latin alphabet ----
 *
 * Detectors compare frequencies of letters, which a few accents do not show. The letters of
 * languages are a better witness: in windows-1252 "één" has letters of Dutch, in MAC-CENTRALEUROPE
 * it is "ťťn". */

/* The charsets to compare with the guess of a detector. */
static const char *const latin_charsets[] = { "WINDOWS-1252", "ISO-8859-2", "WINDOWS-1250",
	"WINDOWS-1254", "WINDOWS-1257", NULL };

/* Returns the languages of a charset: 'W' of western Europe, 'C' of central Europe, 'T' Turkish,
 * 'B' Baltic; 0 when the charset does not encode the Latin alphabet, a byte a character. */
static char latin_family(const char *charset)
{
	static const char *const names[] = { "WISO-8859-1", "WISO-8859-14", "WISO-8859-15",
		"WWINDOWS-1252", "WMACINTOSH", "WCP850", "WCP865", "CISO-8859-2", "CISO-8859-16",
		"CWINDOWS-1250", "CMAC-CENTRALEUROPE", "CCP852", "TISO-8859-3", "TISO-8859-9",
		"TWINDOWS-1254", "CISO-8859-4", "CISO-8859-10", "BISO-8859-13", "BWINDOWS-1257" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcasecmp(charset, names[i] + 1) == 0)
			return *names[i];
	return 0;
}

/* The letters beyond ASCII that languages use, in words of their own and in frequent loanwords,
 * behind the family. */
static const char *const languages[] = {
	"Wáàâäçéèêëíïîóôöúûüñ", /* Dutch */
	"Wæøåéèêóòôäöü",        /* Danish, Norwegian */
	"Wåäöéèàüæø",           /* Swedish, Finnish */
	"Wäöüßéèàâç",           /* German */
	"Wàâæçéèêëîïôœùûüÿ",    /* French */
	"Wáéíóúüñç",            /* Spanish, Irish */
	"Wáâãàçéêíóôõúü",       /* Portuguese */
	"Wàèéìíîòóùú",          /* Italian */
	"Wàçèéíïòóúü",          /* Catalan */
	"Wáéíóúýþæöð",          /* Icelandic */
	"Wäõöüšž",              /* Estonian */
	"Cąćęłńóśźż",           /* Polish */
	"Cáčďéěíňóřšťúůýž",     /* Czech */
	"Cáäčďéíĺľňóôŕšťúýž",   /* Slovak */
	"Cáéíóöőúüű",           /* Hungarian */
	"Câăîşţșț",             /* Romanian */
	"Cčćđšž",               /* Croatian, Slovene */
	"Cäöüß",                /* German */
	"Tçğıöşüâîû",           /* Turkish */
	"Bāčēģīķļņšūž",         /* Latvian */
	"Bąčęėįšųūž",           /* Lithuanian */
	"Bäõöüšž",              /* Estonian */
};

enum { LANGUAGES = sizeof languages / sizeof *languages, TABLE = 0x250 };

static bool is_ascii_letter(uint32_t c)
{
	return (c | 32) - 'a' < 26;
}

static bool is_latin(uint32_t c)
{
	return is_ascii_letter(c) || (c >= 0xC0 && c < TABLE && c != 0xD7 && c != 0xF7);
}

/* Returns whether a symbol cannot stand between these two characters. Within a word only an
 * apostrophe, a middle dot and a soft hyphen are usual; before a word quotes, currencies and signs
 * such as "¿". */
static bool is_odd_symbol(uint32_t before, uint32_t c, uint32_t next)
{
	if (c < 0x80 || is_latin(c) || !is_latin(next))
		return c >= 0x80 && c < 0xA0;
	if (is_latin(before))
		return c != 0x2019 && c != 0xB7 && c != 0xAD && c != 0x2013 && c != 0x2014;
	return c == 0xA6 || c == 0xA9 || (c > 0xAB && c < 0xB0) || (c > 0xB0 && c < 0xB7) ||
	       c == 0xB9 || (c > 0xBB && c < 0xBF);
}

/* Returns how many of the letters beyond ASCII, in text of UTF-8, do not belong to the language of
 * the family that suits the text best. A symbol within a word counts as such a letter. Adds the
 * number of all letters beyond ASCII to *letters. */
static size_t latin_misses(const char *text, size_t n, char family, size_t *letters)
{
	size_t count[TABLE] = { 0 }, odd = 0, all = 0, least = SIZE_MAX;
	const uint8_t *p = (const uint8_t *)text, *end = p + n;
	uint32_t before = ' ', c = ' ', next;

	while (p < end) {
		next = sh_utf8_next(&p, end);
		odd += is_odd_symbol(before, c, next) || next == SH_UTF8_REPLACEMENT;
		before = c;
		c = next;
		if (c >= 0x80 && is_latin(c)) {
			all++;
			count[(uint32_t)utf8proc_tolower((utf8proc_int32_t)c) % TABLE]++;
		}
	}
	odd += is_odd_symbol(before, c, ' ');
	for (size_t i = 0; i < LANGUAGES; i++) {
		const uint8_t *q = (const uint8_t *)languages[i], *stop = q + strlen(languages[i]);
		size_t own = count['i']; /* of the capital I with a dot */

		if (*q++ != family)
			continue;
		while (q < stop)
			own += count[sh_utf8_next(&q, stop)];
		if (all - own < least)
			least = all - own;
	}
	*letters += all + odd;
	return least + odd;
}

/* Returns whether the name is "" or a charset of Latin letters with accents. Detectors choose such
 * a charset when nothing hints at another. */
static bool is_western(const char *name)
{
	return !*name || (latin_family(name) && *name != 'M' && *name != 'C');
}

/* Copies the bytes beyond ASCII to the sample, each sequence with its neighbours and a blank.
 * Returns the number of bytes of the sample. */
static size_t sample_letters(struct sh_slice in, char sample[SAMPLE_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < in.n && n + 4 < SAMPLE_BYTES; i++) {
		if (!(in.p[i] & 0x80))
			continue;
		if (i && !(in.p[i - 1] & 0x80))
			sample[n++] = in.p[i - 1];
		sample[n++] = in.p[i];
		if (i + 1 < in.n && !(in.p[i + 1] & 0x80)) {
			sample[n++] = in.p[i + 1];
			sample[n++] = ' ';
		}
	}
	return n;
}

/* Replaces a guess among the charsets of the Latin alphabet when the letters of another one suit a
 * language better. Windows-1252 is more frequent than the charsets of central Europe: it is taken
 * when its letters suit a language equally well, and for a single letter, which shows nothing. */
static int compare_latin(
    struct sh_charset *c, struct sh_slice in, char name[SH_CHARSET_NAME], struct sh_error *err)
{
	char sample[SAMPLE_BYTES];
	const char *which = name, *best = name;
	struct sh_buf text = { 0 };
	size_t least = SIZE_MAX;
	int got = 1;

	in = sh_slice(sample, sample_letters(in, sample));
	for (size_t i = 0; got >= 0 && which; which = latin_charsets[i++]) {
		size_t letters = 0, misses;
		uint64_t ill;

		text.n = 0;
		got = sh_charset_decode_as(c, which, in, &text, &ill, err);
		if (got <= 0)
			continue;
		misses = latin_misses(text.p, text.n, latin_family(which), &letters);
		if (misses * 4 > letters || misses > least ||
		    (misses == least && (i != 1 || (letters > 1 && latin_family(name) != 'C'))))
			continue;
		least = misses;
		best = which;
	}
	sh_buf_free(&text);
	if (best != name)
		strcpy(name, best);
	return got < 0 ? -1 : 0;
}

/* Guesses the charset of text that is not UTF-8. Sets `name` to "" when there is no hint. */
static int guess(
    struct sh_charset *c, struct sh_slice in, char name[SH_CHARSET_NAME], struct sh_error *err)
{
	const char *own = sh_charset_shifted(in);

	name[0] = '\0';
	if (own) {
		strcpy(name, own);
		return 0;
	}
	own = sh_encoding_iconv_name(sh_encoding_guess(in.p, in.n));
	if (own) {
		sh_charset_canonical(own, name); /* sh_encoding_guess() needs strong evidence */
		return 0;
	}
	detect(in, name);
	if (strcmp(name, "UTF-8") == 0 || strcmp(name, "ASCII") == 0)
		name[0] = '\0';
	/* Western text has few pairs of letters with accents, GB text has many. */
	if (is_western(name) && sh_encoding_may_be_gb(in.p, in.n))
		strcpy(name, "GB18030");
	return latin_family(name) ? compare_latin(c, in, name, err) : 0;
}

/* ---- the decision ---- */

struct decision {
	struct sh_charset *c;
	struct sh_slice in;
	struct sh_buf *out;
	size_t before; /* out->n when it began */
	struct sh_charset_verdict *verdict;
	struct sh_error *err;
	/* The charsets that are declared, in the order of precedence, each once. */
	char declared[SH_CHARSET_DECLARATIONS][SH_CHARSET_NAME];
	size_t n;
};

/* Decodes the text from the charset `name`. Returns 1; 0 when iconv lacks the charset; -1. */
static int try_charset(struct decision *d, const char *name, enum sh_charset_why why)
{
	d->out->n = d->before;
	d->verdict->why = why;
	snprintf(d->verdict->name, sizeof d->verdict->name, "%s", name);
	return sh_charset_decode_as(d->c, name, d->in, d->out, &d->verdict->ill, d->err);
}

static int must_decode(struct decision *d, const char *name, enum sh_charset_why why)
{
	int got = try_charset(d, name, why);

	if (got)
		return got;
	return sh_error_set(d->err, SH_ERR_RECORD,
	    "the text is %s (%s), which this system's iconv does not know", name,
	    sh_charset_reason(why));
}

/* Returns the charset of the byte order mark at the beginning, and removes the mark. Returns NULL
 * when there is none. */
static const char *marked(struct sh_slice *in)
{
	enum sh_encoding e = sh_encoding_guess(in->p, in->n < 4 ? in->n : 4);
	const unsigned char *p = (const unsigned char *)in->p;
	size_t mark = 0;

	if (e == SH_ENC_UTF8_BOM)
		mark = 3;
	else if ((e == SH_ENC_UTF16LE || e == SH_ENC_UTF16BE) && p[0] >= 0xFE)
		mark = 2;
	else if (e == SH_ENC_UTF32LE || e == SH_ENC_UTF32BE)
		mark = 4;
	if (mark == 0)
		return NULL;
	in->p += mark;
	in->n -= mark;
	return e == SH_ENC_UTF8_BOM ? "UTF-8" : sh_encoding_iconv_name(e);
}

/* ---- declared charsets ---- */

static void collect(struct decision *d, const char *const *labels)
{
	d->n = 0;
	for (size_t i = 0; i < SH_CHARSET_DECLARATIONS; i++) {
		char *name = d->declared[d->n];
		bool again = false;

		if (sh_charset_no_name(labels[i]))
			continue;
		sh_charset_canonical(labels[i], name);
		/* Mail programs declare us-ascii when they do not know the charset. */
		if (strcmp(name, "ASCII") == 0)
			continue;
		if (!*name || (strcmp(name, "UTF-8") != 0 && !sh_charset_known(d->c, name))) {
			snprintf(d->verdict->unknown, sizeof d->verdict->unknown, "%s", labels[i]);
			continue;
		}
		for (size_t k = 0; k < d->n; k++)
			again = again || strcmp(d->declared[k], name) == 0;
		d->n += !again;
	}
}

/* Returns the alphabet of a character of two bytes in UTF-8: 1 Latin, 2 Greek, 3 Cyrillic, 4
 * Hebrew, 5 Arabic; 0 for punctuation, which suits all; 9 for characters that are rare in text. */
static unsigned alphabet(uint32_t c)
{
	if (c < 0x180)
		return c >= 0xC0 && c != 0xD7 && c != 0xF7;
	if (c >= 0x384 && c < 0x3CF)
		return 2;
	if ((c >= 0x400 && c < 0x460) || c == 0x490 || c == 0x491)
		return 3;
	if (c >= 0x5D0 && c < 0x5EB)
		return 4;
	return (c >= 0x621 && c < 0x64B) || (c >= 0x660 && c < 0x66A) || c == 0x60C ? 5 : 9;
}

/* Returns whether one of the declared charsets is a name that begins with one of these. */
static bool declares(const struct decision *d, const char *const *begins)
{
	for (; *begins; begins++)
		for (size_t i = 0; i < d->n; i++)
			if (strncmp(d->declared[i], *begins, strlen(*begins)) == 0)
				return true;
	return false;
}

static bool is_lower(uint32_t c)
{
	return utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_LL;
}

/* Returns whether c may be part of a word. A word is longer than one halfwidth katakana or two. */
static bool is_letter(uint32_t c)
{
	utf8proc_category_t gc = utf8proc_category((utf8proc_int32_t)c);

	return gc >= UTF8PROC_CATEGORY_LU && gc <= UTF8PROC_CATEGORY_ME &&
	       !(c > 0xFF60 && c < 0xFFA0);
}

/* Returns whether the only character beyond ASCII of a text is UTF-8: its two bytes are no word in
 * a declared charset, but a letter and a symbol, say. Charsets with letters of two bytes are
 * overruled by the signs of copyright and trade mark alone. Returns -1 after a failure. */
static int is_lone_utf8(struct decision *d, const uint8_t *at)
{
	const uint8_t *p = at;
	uint32_t c = sh_utf8_next(&p, at + 2);
	struct sh_buf text = { 0 };
	int lone = c >= 0xA0 && alphabet(c) != 9;

	for (size_t i = 0; lone > 0 && i < d->n; i++) {
		uint32_t first, second;
		uint64_t ill;
		int got;

		text.n = 0;
		got = sh_charset_decode_as(
		    d->c, d->declared[i], sh_slice((const char *)at, 2), &text, &ill, d->err);
		if (got <= 0 || text.n == 0 || ill) {
			lone = got < 0 ? -1 : lone;
			continue;
		}
		p = (const uint8_t *)text.p;
		first = sh_utf8_next(&p, p + text.n);
		second = p < (const uint8_t *)text.p + text.n
			     ? sh_utf8_next(&p, (const uint8_t *)text.p + text.n)
			     : 0;
		if (second == 0)
			lone = c == 0xA9 || c == 0xAE;
		else
			lone = !is_letter(first) || !is_letter(second) ||
			       (is_lower(first) && !is_lower(second));
	}
	sh_buf_free(&text);
	return lone;
}

/* Returns whether the bytes are UTF-8, whatever is declared. Text of another charset is hardly ever
 * well-formed UTF-8 by chance, except a few characters. Charsets of East Asia have letters of two
 * bytes: a third of the frequent pairs of GB 2312 are sequences of two bytes, mostly of rare or
 * mixed alphabets. In charsets of one byte a capital before a symbol is a sequence, as in "NESTLÉ®"
 * of windows-1252. In CP866 and Thai, words of three letters may be a sequence, but only from
 * U+2000 to U+27FF in UTF-8 proper. */
static int is_surely_utf8(struct decision *d)
{
	const struct sh_slice in = d->in;
	const uint8_t *p = (const uint8_t *)in.p, *end = p + in.n, *last = p;
	static const char *const pairs[] = { "GB", "BIG5", "EUC-", "UHC", "CP932", "JOHAB", NULL };
	static const char *const triples[] = { "CP866", "CP874", "TIS-620", "ISO-8859-11", NULL };
	bool wide = declares(d, pairs), three = declares(d, triples);
	uint64_t two = 0, longer = 0, ill = 0, latin = 0, words = 0;
	unsigned seen = 0;
	bool rare = false, western = true, accent = false, within = false;
	uint32_t before = 0;

	for (size_t i = 0; i < d->n; i++)
		western = western && is_western(d->declared[i]);
	while (p < end) {
		const uint8_t *from = p;
		uint32_t c = sh_utf8_next(&p, end);

		if (c == SH_UTF8_ILL) {
			ill += p < end; /* the last character may be cut */
		} else if (c >= 0x800) {
			longer++;
			words += three && !(c >= 0x2000 && c < 0x2800) && c < 0x10000;
		} else if (c >= 0x80) {
			unsigned a = alphabet(c);

			two++;
			last = from;
			latin += c < 0x180;
			/* An accent within a word of ASCII is no Cyrillic capital and symbol. */
			accent =
			    a == 1 && (is_ascii_letter(before) || (p < end && is_ascii_letter(*p)));
			within = (accent && before >= 'a' && c < 0x100) || (c >= 0xC0 && c <= 0xE0);
			rare = rare || a == 9 || (a && seen && a != seen);
			/* A symbol behind a letter, as in the two pairs of "目录". */
			rare =
			    rare || (!western && a == 0 && c > 0xAD && c != 0xBB && before >= 0xC0);
			seen = a ? a : seen;
		}
		before = c;
	}
	if (ill)
		return two + longer >= 100 && ill * 20 <= two + longer;
	/* ASCII is no UTF-16. */
	if (two + longer == 0)
		return sh_charset_is_wide(d->declared[0]) && (in.n >= 16 || in.n % 2) &&
		       !memchr(in.p, 0, in.n);
	if (words && words == longer && two + longer < 3)
		return false;
	if (!wide && two > 1)
		return true;
	if (two + longer == 1 && two && !(latin && (western || d->n > 1)))
		return (wide ? within : accent) ? 1 : is_lone_utf8(d, last);
	if (rare && wide)
		return longer >= 4 || two >= 12;
	return longer > 0 || (two > 1 && (seen || western)) || (latin && (western || d->n > 1));
}

/* Returns how many characters of decoded text are unlikely where they stand: controls, symbols and
 * capitals within words, words of two scripts, accents in a row. */
static uint64_t oddness(const char *text, size_t n)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + n;
	uint32_t before = ' ';
	uint64_t odd = 0;

	while (p < end) {
		uint32_t c = sh_utf8_next(&p, end);
		bool letter = (before | 32) - 'a' < 26;
		bool accent = c >= 0xC0 && c < 0x250,
		     upper = (c >= 0x400 && c < 0x430) || (c >= 0x391 && c < 0x3AA);

		odd += (c >= 0x7F && c < 0xA0) || c == SH_UTF8_REPLACEMENT ||
		       (c >= 0xE000 && c < 0xF900) || (c >= 0x2500 && c < 0x2600) ||
		       (c >= 0xFF61 && c < 0xFFA0);
		odd +=
		    (accent && before >= 0xC0 && before < 0x250) ||
		    (upper && ((before >= 0x430 && before < 0x460) ||
				  (before >= 0x3B1 && before < 0x3CF))) ||
		    (c >= 0x370 && c < 0x2000 && (letter || (before >= 0xC0 && before < 0x250))) ||
		    (c > 0xA0 && c < 0xC0 && before >= 0xC0);
		before = c;
	}
	return odd;
}

/* Decodes the text from the declared charset that suits the bytes best, and returns 1. Returns 0
 * when the bytes contradict all of them, or -1. */
static int try_declared(struct decision *d)
{
	uint64_t least = UINT64_MAX;
	size_t best = d->n, fit = 0;
	char bytes[SH_CHARSET_NAME] = "";

	if (d->n > 1 && guess(d->c, d->in, bytes, d->err) < 0)
		return -1;
	for (size_t i = 0; i < d->n; i++) {
		int got = try_charset(d, d->declared[i], SH_CHARSET_DECLARED);
		uint64_t odd;

		if (got < 0)
			return -1;
		if (got == 0 || !mostly_right(d->out, d->before, d->verdict->ill) ||
		    (strcmp(d->declared[i], "UTF-8") == 0 && sh_charset_shifted(d->in)))
			continue;
		odd = 2 * oddness(d->out->p + d->before, d->out->n - d->before);
		/* The guess of the bytes decides when both charsets fit. */
		odd = d->verdict->ill                      ? 8 * odd + 8 * d->verdict->ill
		      : strcmp(bytes, d->declared[i]) == 0 ? 0
							   : odd + 1;
		fit++;
		if (odd < least) {
			least = odd;
			best = i;
		}
	}
	if (fit == 0)
		return 0;
	/* The last one is decoded already. */
	return best + 1 == d->n ? 1 : try_charset(d, d->declared[best], SH_CHARSET_DECLARED);
}

static int decide(struct decision *d, const char *const *labels)
{
	char name[SH_CHARSET_NAME];
	const char *mark = marked(&d->in);
	int got;

	if (mark)
		return must_decode(d, mark, SH_CHARSET_MARK);
	if (d->c->forced) {
		sh_charset_canonical(d->c->forced, name);
		return must_decode(d, name, SH_CHARSET_FORCED);
	}
	collect(d, labels);
	got = d->n && strcmp(d->declared[0], "UTF-8") != 0 ? is_surely_utf8(d) : 0;
	if (got)
		return got < 0 ? -1 : must_decode(d, "UTF-8", SH_CHARSET_OVERRULED);
	got = try_declared(d);
	if (got)
		return got;
	if (!sh_charset_shifted(d->in) && memchr(d->in.p, 0, d->in.n) == NULL) {
		got = try_charset(d, "UTF-8", SH_CHARSET_UTF8);
		if (got < 0 || mostly_right(d->out, d->before, d->verdict->ill))
			return got;
	}
	if (guess(d->c, d->in, name, d->err) < 0)
		return -1;
	if (*name)
		return must_decode(d, name, d->n ? SH_CHARSET_CONTRADICTED : SH_CHARSET_DETECTED);
	if (d->n)
		return must_decode(d, d->declared[0], SH_CHARSET_DECLARED);
	if (sh_utf8_valid(d->in.p, d->in.n))
		return must_decode(d, "UTF-8", SH_CHARSET_UTF8);
	return must_decode(d, "WINDOWS-1252", SH_CHARSET_ASSUMED);
}

int sh_charset_decode(struct sh_charset *c, struct sh_slice in,
    const char *const declared[SH_CHARSET_DECLARATIONS], struct sh_buf *out,
    struct sh_charset_verdict *verdict, struct sh_error *err)
{
	struct decision d = { c, in, out, out->n, verdict, err };

	*verdict = (struct sh_charset_verdict){ "UTF-8", SH_CHARSET_UTF8, 0, "" };
	if (in.n == 0)
		return 0;
	return decide(&d, declared) < 0 ? -1 : 0;
}
