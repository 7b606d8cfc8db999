/* SPDX-License-Identifier: MIT */
#include "ingest/charset.h"

#include <string.h>

#include "ingest/header.h"

/* Labels that mean another charset than their letters say to iconv, by the Encoding Standard of the
 * web, the registry of IANA, or the practice of mail programs. A label stands here in lower case,
 * without its punctuation. iconv gets all other names unchanged. */
static const char *const labels[][2] = {
	{ "UTF-8", "utf8 unicode11utf8 unicode20utf8 xunicode20utf8 iso10646utf8 utf8mb4 csutf8" },
	{ "UTF-16LE", "utf16 unicode csunicode iso10646ucs2 ucs2 unicodefeff csutf16 csutf16le" },
	{ "UTF-16BE", "unicodefffe csutf16be" },
	{ "UTF-7", "unicode11utf7 csunicode11utf7 csutf7 utf7imap" },
	{ "ASCII", "ascii usascii ansix341968 ansix341986 csascii isoir6 iso646us iso646irv1991" },
	{ "WINDOWS-1252", "iso88591 iso885911987 isoir100 csisolatin1 latin1 isolatin1 l1 88591 "
			  "ibm819 cp819 cswindows1252 xuserdefined" },
	{ "ISO-8859-2", "iso885921987 isoir101 csisolatin2 latin2 isolatin2 l2 88592" },
	{ "ISO-8859-3", "iso885931988 isoir109 csisolatin3 latin3 l3 88593" },
	{ "ISO-8859-4", "iso885941988 isoir110 csisolatin4 latin4 l4 88594" },
	{ "ISO-8859-5", "iso885951988 isoir144 csisolatincyrillic cyrillic 88595" },
	{ "ISO-8859-6", "iso885961987 isoir127 csisolatinarabic arabic asmo708 ecma114 iso88596e "
			"iso88596i csiso88596e csiso88596i 88596" },
	{ "ISO-8859-7", "iso885971987 isoir126 csisolatingreek greek greek8 ecma118 elot928 "
			"suneugreek 88597" },
	{ "ISO-8859-8", "iso885981988 isoir138 csisolatinhebrew hebrew iso88598e iso88598i "
			"csiso88598e csiso88598i logical visual 88598" },
	{ "WINDOWS-1254", "iso88599 iso885991989 isoir148 csisolatin5 latin5 l5 88599" },
	{ "ISO-8859-10", "isoir157 csisolatin6 latin6 l6 iso8859101992" },
	{ "CP874", "iso885911 iso8859112001 tis620 tis6202533 windows874 dos874 cstis620 thai" },
	{ "ISO-8859-13", "csiso885913 latin7 l7" },
	{ "ISO-8859-14", "csiso885914 isoir199 latin8 l8" },
	{ "ISO-8859-15", "csiso885915 csisolatin9 latin9 l9 885915" },
	{ "ISO-8859-16", "csiso885916 isoir226 latin10 l10" },
	{ "GB18030", "gb2312 gb23121980 gb231280 csgb2312 csiso58gb231280 isoir58 chinese gbk xgbk "
		     "csgbk csgb18030 gb180302000 gb180302005 euccn xeuccn cngb xgb18030" },
	{ "HZ", "hz hzgb2312 hzgb" },
	{ "ISO-2022-CN", "csiso2022cn" },
	{ "BIG5-HKSCS", "big5 cnbig5 csbig5 xxbig5 xbig5 big5eten csbig5hkscs big5hkscs2004" },
	{ "CP932", "shiftjis sjis xsjis csshiftjis mskanji cswindows31j windows31j sjiswin" },
	{ "EUC-JP-MS", "eucjp xeucjp ujis cseucpkdfmtjapanese eucjpwin eucjpms cp51932" },
	{ "ISO-2022-JP",
	    "csiso2022jp iso2022jpms cp50220 cp50221 cp50222 jis csjisencoding jisencoding" },
	{ "UHC", "euckr cseuckr xeuckr ksc56011987 ksc56011989 ksc5601 csksc56011987 isoir149 "
		 "korean ksx1001 uhc" },
	{ "ISO-2022-KR", "csiso2022kr" },
	{ "KOI8-R", "koi koi8 cskoi8r xkoi8r" },
	{ "KOI8-U", "koi8ru cskoi8u xkoi8u" },
	{ "MACINTOSH", "mac macroman xmacroman csmacintosh xmacwestern" },
	{ "MACCYRILLIC", "maccyrillic xmaccyrillic xmacukrainian macukrainian" },
	{ "MAC-CENTRALEUROPE", "xmacce macce maccentraleurope xmaccentraleurope" },
};

/* Labels of programs that did not know the charset. */
static const char unknown[] =
    "unknown unknown8bit xunknown 8bit ansi default none null undefined auto binary";

/* Copies the letters and digits of a label in lower case, without zeros before a number. */
static void strip(const char *label, char *key)
{
	char *to = key;

	for (const char *p = label; *p; p++) {
		bool digit = *p >= '0' && *p <= '9';

		if (*p == '0' && p[1] >= '0' && p[1] <= '9' &&
		    (to == key || to[-1] < '0' || to[-1] > '9'))
			continue;
		if (digit || ((*p | 32) >= 'a' && (*p | 32) <= 'z'))
			*to++ = digit ? *p : (char)(*p | 32);
	}
	*to = '\0';
}

/* Sets `name` for a code page of IBM or Microsoft, such as "cp-850", "IBM00858", "x-windows-949"
 * or "win1251". */
static bool code_page(const char *key, char name[SH_CHARSET_NAME])
{
	static const char *const makers[] = { "windows", "win", "cp", "ibm", "dos", "ms",
		"cswindows", "csibm", "cspc", "oem", "ccsid", "codepage" };
	static const struct {
		const char *page, *name;
	} others[] = { { "932", "CP932" }, { "943", "CP932" }, { "936", "GB18030" },
		{ "1386", "GB18030" }, { "54936", "GB18030" }, { "20936", "GB18030" },
		{ "949", "UHC" }, { "51949", "UHC" }, { "950", "BIG5-HKSCS" }, { "1361", "JOHAB" },
		{ "874", "CP874" }, { "10000", "MACINTOSH" }, { "20127", "ASCII" },
		{ "20866", "KOI8-R" }, { "21866", "KOI8-U" }, { "28591", "WINDOWS-1252" },
		{ "28592", "ISO-8859-2" }, { "65001", "UTF-8" }, { "52936", "HZ" } };
	size_t n;

	key += key[0] == 'x' && strlen(key) > 3;
	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
		n = strlen(makers[i]);
		if (strncmp(key, makers[i], n) == 0 && key[n] >= '0' && key[n] <= '9') {
			key += n;
			break;
		}
	}
	n = strspn(key, "0123456789");
	if (n < 3 || n > 5 || key[n])
		return false;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(key, others[i].page) == 0) {
			strcpy(name, others[i].name);
			return true;
		}
	/* The pages of Windows are 1250 to 1258. */
	strcpy(name, n == 4 && strncmp(key, "125", 3) == 0 ? "WINDOWS-" : "CP");
	strcat(name, key);
	return true;
}

void sh_charset_canonical(const char *label, char name[SH_CHARSET_NAME])
{
	size_t n = strlen(label);
	char key[SH_CHARSET_NAME], own[SH_CHARSET_NAME];

	name[0] = '\0';
	/* A slash would ask iconv for more than a charset. */
	if (n == 0 || n >= SH_CHARSET_NAME || strpbrk(label, "/, "))
		return;
	strip(label, key);
	if (sh_is_listed(sh_slice_str(key), unknown) || *key == '\0')
		return;
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		strip(labels[i][0], own);
		if (strcmp(key, own) == 0 || sh_is_listed(sh_slice_str(key), labels[i][1])) {
			strcpy(name, labels[i][0]);
			return;
		}
	}
	if (code_page(key, name))
		return;
	for (size_t i = 0; i <= n; i++)
		name[i] = label[i] >= 'a' && label[i] <= 'z' ? (char)(label[i] - 32) : label[i];
	/* "iso8859_2" and "ISO 8859-2" are one name. */
	if (strncmp(key, "iso8859", 7) == 0 && strlen(key) < 10) {
		strcpy(name, "ISO-8859-");
		strcat(name, key + 7);
	}
}

bool sh_charset_no_name(const char *label)
{
	char key[SH_CHARSET_NAME];

	if (!label || strlen(label) >= sizeof key)
		return !label;
	strip(label, key);
	return *key == '\0' || sh_is_listed(sh_slice_str(key), unknown);
}
