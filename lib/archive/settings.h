/* SPDX-License-Identifier: MIT */
/* The settings with which an archive of documents is made, as rows of its manifest.
 *
 * Options that decide a document's features or keys are settings: each run on the archive must have
 * the same options. Options for the form of documents (--json, --raw, -f) are not settings.
 *
 * The versions of Unicode and Snowball decide features as well. No option chooses a version.
 * Snowball does not report its version: a checksum over stems represents it. A checksum also
 * represents the content of a file. */
#ifndef SH_ARCHIVE_SETTINGS_H
#define SH_ARCHIVE_SETTINGS_H

#include "match/keys.h"
#include "match/measure.h"
#include "published/published.h"
#include "store/manifest.h"

enum { SH_SETTING_MAX = 64 }; /* bytes of a value, with the final NUL */

/* Points into itself once it was read: do not copy or move it then. */
struct sh_archive_settings {
	const struct sh_profile *profile;
	const struct sh_measure *measure;
	uint64_t threshold, edit; /* in millionths; edit: of the measure any */
	uint64_t seed;
	bool random_seed;
	struct sh_ngrams ngrams;
	struct sh_token_opts token; /* with the dictionary that its method needs */
	unsigned keys, rows;
	/* of the files of --stop and of --dict: sh_content_sum() of one after the other; 0: none */
	uint64_t stop_sum, dict_sum;
	char stem[SH_SETTING_MAX]; /* private */
};

/* Appends all settings of a new archive, in the form of sh_store_manifest.settings. */
int sh_archive_settings_list(
    const struct sh_archive_settings *s, struct sh_buf *lines, struct sh_error *err);

/* Sets *s to the settings of a manifest. The manifest has no contents of files, so s->token has no
 * dictionary and no stop words. SH_ERR_PARAM: this version does not know a value. */
int sh_archive_settings_read(
    struct sh_archive_settings *s, const struct sh_store_manifest *m, struct sh_error *err);

/* Sets the rules of keys. The key of the manifest is the secret of a random seed. */
void sh_archive_settings_rules(
    const struct sh_archive_settings *s, const struct sh_store_manifest *m, struct sh_key_rules *r);

/* Removes lines of sh_archive_settings_list() from *lines, up to and including the first one to
 * which the archive has another value. Sets *now to its setting, and *made to the archive's. The
 * name of *made is another one where a setting has two, and its value is empty where the archive
 * has none. Returns false when there is no such line. */
bool sh_archive_settings_differ(struct sh_slice *lines, const struct sh_store_manifest *m,
    struct sh_store_setting *now, struct sh_store_setting *made);
/* Returns whether a setting is a version, not an option. Versions come last. */
bool sh_archive_setting_is_version(struct sh_slice name);

/* Returns the sum of a content, after the sum of the contents before it, or 0. */
uint64_t sh_content_sum(uint64_t before, struct sh_slice content);

#endif
