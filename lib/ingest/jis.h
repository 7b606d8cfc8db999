/* ISO-2022-JP, the encoding of Japanese mail, by way of CP932. What Windows writes under that name has
 * characters that iconv's own ISO-2022-JP lacks, such as circled digits and katakana of half width;
 * the web's Encoding Standard decodes them, and so is it done here. */
#ifndef SH_INGEST_JIS_H
#define SH_INGEST_JIS_H

#include "base/buf.h"

enum sh_jis_set { SH_JIS_ASCII, SH_JIS_ROMAN, SH_JIS_KATAKANA, SH_JIS_KANJI };

/* Zeroed but for the input, which it loses. */
struct sh_jis {
	struct sh_slice in;
	enum sh_jis_set set;
};

/* Append a run of characters in CP932, up to one that it lacks or to the end: 1 and *other, which is
 * SH_UTF8_ILL where it is none; 0 at the end; -1. */
int sh_jis_run(struct sh_jis *jis, struct sh_buf *cp932, uint32_t *other, struct sh_error *err);

#endif
