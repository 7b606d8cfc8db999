/* What a file is encoded in, judged by its first block, so that programs can refuse
 * what is not UTF-8 and name the iconv command that cures it.
 *
 * A verdict other than UTF-8 and UNKNOWN8BIT is only given on strong evidence:
 * damaged UTF-8, UTF-8 with NULs or cut at the end, single-byte encodings and
 * encodings without a row here are never taken for one of the others. */
#ifndef SH_UNICODE_ENCODING_H
#define SH_UNICODE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

enum sh_encoding {
	SH_ENC_UTF8, /* or ASCII, empty, damaged UTF-8, or too little to tell */
	SH_ENC_UTF8_BOM,
	SH_ENC_UTF16LE,
	SH_ENC_UTF16BE,
	SH_ENC_UTF32LE, /* by their byte order marks only */
	SH_ENC_UTF32BE,
	SH_ENC_GB18030, /* or GBK, GB2312 */
	SH_ENC_BIG5,
	SH_ENC_UNKNOWN8BIT, /* not UTF-8: ISO 8859, Windows code pages, Shift_JIS, EUC... */
};

/* The first 4 KiB tell nearly as well as a MiB; a few hundred bytes are too few for
 * GB18030 and Big5. */
enum sh_encoding sh_encoding_guess(const char *p, size_t n);

/* Whether text that is no UTF-8 can be GB18030, however short: what is not ASCII are at least two
 * characters of GB2312, three in four common ones or punctuation. A few words in other encodings
 * (KOI8-R, EUC-KR) are no different: this is for a hint, not for a verdict. */
bool sh_encoding_may_be_gb(const char *p, size_t n);

/* The name for `iconv -f`; NULL for UTF-8 and unknown. A byte order mark comes out
 * as that of UTF-8. */
const char *sh_encoding_iconv_name(enum sh_encoding e);

#endif
