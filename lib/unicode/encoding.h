/* Guesses the encoding of a file from its first bytes, so that programs can refuse other encodings than
 * UTF-8 and name the iconv command that converts them.
 *
 * An encoding other than UTF-8 and UNKNOWN8BIT is returned only on strong evidence. It is never returned
 * for damaged UTF-8, for UTF-8 with NULs or without its end, and for encodings that are not listed. */
#ifndef SH_UNICODE_ENCODING_H
#define SH_UNICODE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

enum sh_encoding {
	SH_ENC_UTF8, /* UTF-8; or ASCII, damaged UTF-8, no text, or too little text */
	SH_ENC_UTF8_BOM,
	SH_ENC_UTF16LE,
	SH_ENC_UTF16BE,
	SH_ENC_UTF32LE, /* recognised by the byte order mark only, as UTF32BE */
	SH_ENC_UTF32BE,
	SH_ENC_GB18030, /* or GBK, GB2312 */
	SH_ENC_BIG5,
	SH_ENC_UNKNOWN8BIT, /* not UTF-8: ISO 8859, Windows code pages, Shift_JIS, EUC... */
};

/* Guesses from n bytes. 4 KiB are nearly as good as 1 MiB. A few hundred bytes are too few for GB18030
 * and Big5. */
enum sh_encoding sh_encoding_guess(const char *p, size_t n);

/* Returns whether text that is not UTF-8 may be GB18030, however short it is: its non-ASCII bytes are at
 * least two characters of GB2312, and three in four are common ones or punctuation. Some words in other
 * encodings (KOI8-R, EUC-KR) look the same: use this for hints only. */
bool sh_encoding_may_be_gb(const char *p, size_t n);

/* Returns the name for `iconv -f`; NULL for UTF-8 and UNKNOWN8BIT. iconv converts a byte order mark to
 * that of UTF-8. */
const char *sh_encoding_iconv_name(enum sh_encoding e);

#endif
