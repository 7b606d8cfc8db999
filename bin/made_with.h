/* The settings with which an archive is made, as rows of its manifest.
 *
 * Options that decide a document's features, fingerprint or keys are settings: each run on the
 * archive must have the same options. Options for the form of documents (--json, --raw, -f) are not
 * settings.
 *
 * The versions of Unicode and Snowball decide features as well. No option chooses them, so a
 * difference is a warning. Snowball does not report its version: a checksum over stems represents
 * it. Archives of 0.1.0 have no versions, so nothing is compared. */
#ifndef MADE_WITH_H
#define MADE_WITH_H

#include "dedup.h"

enum { MADE_WITH_VALUE_MAX = 64, MADE_WITH_SAID_MAX = 128 }; /* bytes, with the final NUL */

/* Rows point into `value`: do not copy or move a list. */
struct made_with {
	struct sh_setting row[SH_SETTINGS_MAX];
	char value[SH_SETTINGS_MAX][MADE_WITH_VALUE_MAX];
	size_t n;
};

/* Lists all settings of a new archive: options, versions, and the form of digests. The options must
 * be final. Dies of errors. */
void made_with_list(struct cli *c, const struct dedup_settings *s, struct made_with *o);

/* Returns whether the archive's digests are of texts with the escapes of records. In archives of
 * 0.1.0 they are of texts as read. */
bool made_with_escaped_digests(const struct sh_manifest *m);

/* Returns the value of a setting as its option is typed. room: MADE_WITH_SAID_MAX bytes for the
 * result. */
struct sh_slice made_with_said(const struct sh_setting *s, char *room);

/* Dies when the archive has other options than this run. Warns when the versions differ. */
void made_with_compare(struct cli *c, const struct dedup_settings *s, const struct sh_manifest *m);

#endif
