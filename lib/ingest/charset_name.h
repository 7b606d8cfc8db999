/* SPDX-License-Identifier: MIT */
/* Names of charsets, as mail, pages and programs write them. */
#ifndef SH_INGEST_CHARSET_NAME_H
#define SH_INGEST_CHARSET_NAME_H

#include <stdbool.h>

enum { SH_CHARSET_NAME = 64 }; /* bytes of a name with its NUL */

/* Sets `name` to the name that iconv gets for a label, in upper case. Case and punctuation of the
 * label do not matter for the labels of the Encoding Standard of the web, for those of IANA, and
 * for code pages. Sets `name` to "" when the label cannot be a name, or says that the charset is
 * unknown. iconv may lack the charset. */
void sh_charset_canonical(const char *label, char name[SH_CHARSET_NAME]);

/* Returns whether the label, which may be NULL, names no charset: "", "unknown-8bit", "default". */
bool sh_charset_no_name(const char *label);

#endif
