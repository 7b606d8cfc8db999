/* SPDX-License-Identifier: MIT */
/* Guesses the encoding of a file from its first bytes. Programs can then refuse encodings other
 * than UTF-8, and name the iconv command that converts the file.
 *
 * An encoding other than UTF-8 and UNKNOWN8BIT needs strong evidence. It is never the result for
 * damaged UTF-8, for UTF-8 that has NULs or is cut off, or for an encoding that is not listed. */
#ifndef SH_UNICODE_ENCODING_H
#define SH_UNICODE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

enum sh_encoding {
	SH_ENC_UTF8, /* UTF-8; or ASCII, damaged UTF-8, no text, or too little text */
	SH_ENC_UTF8_BOM,
	SH_ENC_UTF16LE,
	SH_ENC_UTF16BE,
	SH_ENC_UTF32LE, /* only with a byte order mark */
	SH_ENC_UTF32BE, /* only with a byte order mark */
	SH_ENC_GB18030, /* or GBK, GB2312 */
	SH_ENC_BIG5,
	SH_ENC_UNKNOWN8BIT, /* not UTF-8: ISO 8859, Windows code pages, Shift_JIS, EUC... */
};

/* Guesses from n bytes, at most 64 KiB; 4 KiB are nearly as good. A few hundred bytes are too few
 * for GB18030 and Big5. */
enum sh_encoding sh_encoding_guess(const char *p, size_t n);

/* Returns whether text that is not UTF-8 may be GB18030, also short text. The bytes beyond ASCII
 * must be at least two characters of GB2312. Three in four must be common characters or
 * punctuation. Use it for hints only: words in KOI8-R or EUC-KR may look the same. */
bool sh_encoding_may_be_gb(const char *p, size_t n);

/* Returns the name for `iconv -f`. Returns NULL for UTF-8, with or without byte order mark, and for
 * UNKNOWN8BIT. iconv converts a byte order mark, too. */
const char *sh_encoding_iconv_name(enum sh_encoding e);

#endif
