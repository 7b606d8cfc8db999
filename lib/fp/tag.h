/* SPDX-License-Identifier: MIT */
/* Tags: four hexadecimal digits that stand for all settings that decide a fingerprint.
 *
 * A tag is the first 16 bits of the XXH3 hash of the settings as text. Each fingerprint record has
 * a tag, unless shfp --bare or a published system wrote the record. Two different settings have the
 * same tag with a probability of 1 in 65536.
 *
 * A tag covers the options that sh_settings_list() lists. A tag does not cover the form of the
 * input (TSV, JSON, escapes) and the versions of Unicode and Snowball. */
#ifndef SH_FP_TAG_H
#define SH_FP_TAG_H

#include "fp/fingerprinter.h"
#include "record/fields.h"

enum {
	SH_SETTINGS_ROWS = 20, /* most rows */
	SH_SETTING_VALUE = 40, /* most bytes of a value with its NUL */
	SH_SETTINGS_TEXT = SH_SETTINGS_ROWS * (SH_SETTING_VALUE + 16), /* most bytes of all rows */
};

/* The settings as options of shfp. The value of an option that is not given is "no". The value of
 * an option without argument that is given is "yes". */
struct sh_settings {
	struct {
		const char *name;
		char value[SH_SETTING_VALUE];
	} row[SH_SETTINGS_ROWS];
	size_t n;
};

/* Lists the settings. stop and dict: checksums of the file of --stop and of all
 * dictionaries; 0: no file. */
void sh_settings_list(
    struct sh_settings *s, const struct sh_fingerprint_opts *opts, uint64_t stop, uint64_t dict);

/* Returns the tag, 0 to 65535. */
int sh_settings_tag(const struct sh_settings *s);

/* Writes the settings as options to text[SH_SETTINGS_TEXT], NUL-terminated. Leaves out the rows
 * that are equal in `other`; other = NULL: writes all rows. */
void sh_settings_print(const struct sh_settings *s, const struct sh_settings *other, char *text);

/* Looks for the tag among the tags of 480 common settings. Returns whether it was found, and
 * then sets *s. When not, *s has no meaning. About 1 in 100 tags of other settings is found by
 * chance, with wrong settings. */
bool sh_tag_lookup(int tag, struct sh_settings *s);

/* The tags that a program has read. Threads may share it. */
struct sh_tags {
	unsigned digits;          /* hexadecimal digits of a tag: 4, or 2 in band keys */
	_Atomic int first;        /* the first tag; SH_NO_TAG: no tag was read yet */
	_Atomic bool bare;        /* a record without a tag was read */
	const char *_Atomic file; /* file of the record with the tag `first` */
};

#define SH_TAGS(n)                                                                                 \
	{                                                                                          \
		.digits = (n), .first = SH_NO_TAG                                                  \
	}

/* Checks the tag of one more record of the file; SH_NO_TAG: a record without tag. SH_ERR_PARAM: an
 * earlier record has another tag. The file's name must stay valid as long as *t. */
int sh_tags_check(struct sh_tags *t, int tag, const char *file, struct sh_error *err);

/* Returns whether some records have a tag and others have none.
 * SH_TAGS_PART_BARE is the warning for it. */
#define SH_TAGS_PART_BARE                                                                          \
	"some records have a tag and others have none: it is not known whether their "             \
	"fingerprints were made with the same settings"
bool sh_tags_part_bare(const struct sh_tags *t);

#endif
