/* SPDX-License-Identifier: MIT */
/* Converts ISO-2022-JP, an encoding of Japanese mail, to CP932, which iconv converts further.
 * Programs of Windows write characters that iconv's own ISO-2022-JP lacks, such as circled digits
 * and halfwidth katakana. The Encoding Standard of the web decodes these characters, and so does
 * this code. */
#ifndef SH_INGEST_JIS_H
#define SH_INGEST_JIS_H

#include "base/buf.h"

enum sh_jis_set { SH_JIS_ASCII, SH_JIS_ROMAN, SH_JIS_KATAKANA, SH_JIS_KANJI };

/* A conversion. It begins with all members but `in` zeroed. `in` is the input not converted yet. */
struct sh_jis {
	struct sh_slice in;
	enum sh_jis_set set;
};

/* Appends characters in CP932, up to the first character that CP932 lacks. Returns 1, with the code
 * point of that character in *other, or SH_UTF8_ILL for ill-formed bytes; jis->in is behind it.
 * Returns 0 at the end of the input, or -1. */
int sh_jis_run(struct sh_jis *jis, struct sh_buf *cp932, uint32_t *other, struct sh_error *err);

#endif
