/* SPDX-License-Identifier: MIT */
#include "ingest/latin.h"

#include <string.h>
#include <strings.h>
#include <utf8proc.h>

#include "unicode/utf8.h"

const char *const sh_latin_charsets[] = { "WINDOWS-1252", "ISO-8859-2", "WINDOWS-1250",
	"WINDOWS-1254", "WINDOWS-1257", NULL };

char sh_latin_family(const char *charset)
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

static bool is_letter(uint32_t c)
{
	return (c | 32) - 'a' < 26 || (c >= 0xC0 && c < TABLE && c != 0xD7 && c != 0xF7);
}

/* Returns whether a symbol cannot stand between these two characters. Within a word only an
 * apostrophe, a middle dot and a soft hyphen are usual; before a word quotes, currencies and signs
 * such as "¿". */
static bool is_odd(uint32_t before, uint32_t c, uint32_t next)
{
	if (c < 0x80 || is_letter(c) || !is_letter(next))
		return c >= 0x80 && c < 0xA0;
	if (is_letter(before))
		return c != 0x2019 && c != 0xB7 && c != 0xAD && c != 0x2013 && c != 0x2014;
	return c == 0xA6 || c == 0xA9 || (c > 0xAB && c < 0xB0) || (c > 0xB0 && c < 0xB7) ||
	       c == 0xB9 || (c > 0xBB && c < 0xBF);
}

size_t sh_latin_misses(const char *text, size_t n, char family, size_t *letters)
{
	size_t count[TABLE] = { 0 }, odd = 0, all = 0, least = SIZE_MAX;
	const uint8_t *p = (const uint8_t *)text, *end = p + n;
	uint32_t before = ' ', c = ' ', next;

	while (p < end) {
		next = sh_utf8_next(&p, end);
		odd += is_odd(before, c, next) || next == SH_UTF8_REPLACEMENT;
		before = c;
		c = next;
		if (c >= 0x80 && is_letter(c)) {
			all++;
			count[(uint32_t)utf8proc_tolower((utf8proc_int32_t)c) % TABLE]++;
		}
	}
	odd += is_odd(before, c, ' ');
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
