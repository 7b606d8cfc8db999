/* SPDX-License-Identifier: MIT */
/* The settings with which an archive is made, as rows of its manifest.
 *
 * Options that decide a document's features or keys are settings: each run on the archive must have
 * the same options. Options for the form of documents (--json, --raw, -f) are not settings.
 *
 * The versions of Unicode and Snowball decide features as well. No option chooses them, so a
 * difference is a warning. Snowball does not report its version: a checksum over stems represents
 * it. */
#ifndef MADE_WITH_H
#define MADE_WITH_H

#include "dedup.h"

enum { MADE_WITH_VALUE_MAX = 64 }; /* bytes, with the final NUL */

/* Rows point into `value`: do not copy or move a list. */
struct made_with {
	struct sh_store_setting row[SH_STORE_SETTINGS_MAX];
	char value[SH_STORE_SETTINGS_MAX][MADE_WITH_VALUE_MAX];
	size_t n;
};

/* Lists all settings of a new archive: options and versions. The options must be final. Dies of
 * errors. */
void made_with_list(struct cli *c, const struct dedup_settings *s, struct made_with *o);

/* Dies when the archive has other options than this run. Warns when the versions differ. */
void made_with_compare(
    struct cli *c, const struct dedup_settings *s, const struct sh_store_manifest *m);

#endif
