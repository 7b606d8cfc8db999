/* Tags: four hexadecimal digits that stand for all settings that decide a fingerprint.
 *
 * A tag is the first 16 bits of the XXH3 hash of the settings, written as text. Every
 * fingerprint record carries its tag, so that parts of the input still give parts of the output.
 * Two different settings have the same tag with a probability of 1 in 65536.
 *
 * A tag covers the options that sh_settings_list() lists. It does not cover the form of the input
 * (TSV, JSON, escapes), nor the versions of Unicode and Snowball. */
#ifndef SH_FP_TAG_H
#define SH_FP_TAG_H

#include "fp/fingerprinter.h"
#include "record/fields.h"

enum {
	SH_SETTINGS_ROWS = 16,
	SH_SETTING_VALUE = 40, /* bytes of a value with its NUL */
	SH_SETTINGS_TEXT = SH_SETTINGS_ROWS * (SH_SETTING_VALUE + 16),
};

/* The settings as options of shfp. A value is "no" for an option that is not given, "yes" for one
 * without an argument. */
struct sh_settings {
	struct {
		const char *name;
		char value[SH_SETTING_VALUE];
	} row[SH_SETTINGS_ROWS];
	size_t n;
};

/* Lists the settings. stop and dict: checksums of the file of --stop and of all dictionaries; 0: there are
 * none. */
void sh_settings_list(
    struct sh_settings *s, const struct sh_fingerprint_opts *opts, uint64_t stop, uint64_t dict);

/* Lists the settings of shfp without options. */
void sh_settings_default(struct sh_settings *s);

/* Returns the tag, 0 to 65535. */
int sh_settings_tag(const struct sh_settings *s);

/* Writes the settings as options to text[SH_SETTINGS_TEXT], NUL-terminated. Leaves out rows that are equal
 * in `other`. NULL: writes all rows. */
void sh_settings_print(const struct sh_settings *s, const struct sh_settings *other, char *text);

/* Looks for the tag among the tags of some hundred common settings, and fills *s when it is there. Returns whether it
 * is; when it is not, *s has no meaning. Of tags made with other settings, 1 in 100 is found by chance, with the wrong settings. */
bool sh_tag_lookup(int tag, struct sh_settings *s);

/* The tags that a program has read. Several threads may share it. */
struct sh_tags {
	unsigned digits;          /* hexadecimal digits of a tag: 4, or 2 in band keys */
	_Atomic int first;        /* the first tag, SH_NO_TAG before one was met */
	_Atomic bool bare;        /* a record without a tag was read */
	const char *_Atomic file; /* file of the record with the tag `first` */
};

#define SH_TAGS(n)                                                                                 \
	{                                                                                          \
		.digits = (n), .first = SH_NO_TAG                                                  \
	}

/* Checks the tag of one more record of the file; SH_NO_TAG: it has none. Returns -1 and SH_ERR_PARAM when an earlier
 * record has another tag. The name of the file must stay valid as long as *t. */
int sh_tags_check(struct sh_tags *t, int tag, const char *file, struct sh_error *err);

/* Returns whether some records have a tag and others have none. SH_TAGS_PART_BARE is the warning for it. */
#define SH_TAGS_PART_BARE                                                                          \
	"some records have a tag and others have none: it is not known whether their "             \
	"fingerprints "                                                                            \
	"were "                                                                                    \
	"made with the same settings"
bool sh_tags_part_bare(const struct sh_tags *t);

#endif
