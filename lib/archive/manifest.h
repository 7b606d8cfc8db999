/* The manifest: a small text file that has the settings of an archive and names its files. A file
 * that the manifest does not name does not belong to the archive.
 *
 *     simhash-archive VERSION                  of the format: 2 with edit similarity, which
 *                                              version 1 does not know; otherwise 1
 *     option NAME VALUE                        a setting (bin/made_with.h); `digest escaped` stands
 *                                              for sh_batch_opts.escape
 *     key HEX                                  of features, keys and digests; 32 digits
 *     store none|sketch|documents|sequence     sequence: the sketch of version 2
 *     layout BANDS ROWS                        see keys.h
 *     next-number HEX                          of the next document
 *     next-segment HEX
 *     documents COUNT                          documents recorded
 *     kept COUNT                               documents that stayed, of these
 *     segment NUMBER FIRST LAST                hexadecimal; numbers of documents, ascending
 *     file NAME BYTES RECORDS CHECKSUM         a file of the segment; in order: .doc, .key, the
 *                                              store (.set, .txt or .seq), .sum
 *     checksum HEX                             XXH3 of all lines before
 *
 * in this order. A manifest that sh_manifest_print() would write in another way is refused. */
#ifndef SH_ARCHIVE_MANIFEST_H
#define SH_ARCHIVE_MANIFEST_H

#include "base/buf.h"

enum sh_archive_store { SH_ARCHIVE_NONE, SH_ARCHIVE_SKETCH, SH_ARCHIVE_DOCUMENTS, SH_ARCHIVE_SEQUENCE, SH_ARCHIVE_STORES };

extern const char *const sh_store_name[SH_ARCHIVE_STORES];

/* The files of a segment. With SH_ARCHIVE_NONE a segment has no SH_PART_STORE. */
enum sh_part { SH_PART_DOC, SH_PART_KEY, SH_PART_STORE, SH_PART_SUM, SH_PARTS };

/* checksum: XXH3 of the part's lines in .sum; of SH_PART_SUM: of the whole file. */
struct sh_part_size {
	uint64_t bytes, records, checksum;
};

struct sh_segment_entry {
	uint32_t number, first, last; /* documents first .. last; some may have been removed */
	struct sh_part_size part[SH_PARTS];
};

struct sh_setting {
	struct sh_slice name, value;
};

/* The most settings, bytes of a file name with its NUL, bands, and rows. */
enum { SH_SETTINGS_MAX = 32, SH_NAME_MAX = 16, SH_BANDS_MAX = 64, SH_ROWS_MAX = 8 };

#define SH_MANIFEST_NAME "manifest"
#define SH_MANIFEST_NEW  "manifest.new"

struct sh_manifest {
	struct sh_setting setting[SH_SETTINGS_MAX]; /* names and values are borrowed */
	size_t n_settings;
	bool ordered; /* edit similarity makes matches */
	uint64_t key[2];
	enum sh_archive_store store;
	unsigned bands, rows;
	uint32_t next_number, next_segment;
	uint64_t documents, kept;         /* kept: of these, documents that stayed */
	struct sh_segment_entry *segment; /* owned */
	size_t n_segments, segments_cap;
};

/* Reads a manifest. The settings point into the text. SH_ERR_RECORD: the text is damaged, or has
 * another version of the format. Then *m is empty. */
int sh_manifest_parse(struct sh_manifest *m, struct sh_slice text, struct sh_error *err);
/* Appends the text of the manifest to *out. */
int sh_manifest_print(const struct sh_manifest *m, struct sh_buf *out, struct sh_error *err);
void sh_manifest_free(struct sh_manifest *m);

/* Appends a copy of the segment's entry. */
int sh_manifest_add(struct sh_manifest *m, const struct sh_segment_entry *e, struct sh_error *err);

/* Writes the file name of a part, at most SH_NAME_MAX bytes with its NUL. A signal handler may call
 * it. */
void sh_part_name(char *out, uint32_t segment, enum sh_part part, enum sh_archive_store store);

/* Returns whether the segments of an archive with this store have the part. */
static inline bool sh_has_part(enum sh_archive_store store, enum sh_part part)
{
	return part != SH_PART_STORE || store != SH_ARCHIVE_NONE;
}

/* Returns whether the name has the form of a segment's file name. */
bool sh_is_part_name(const char *name);

/* Returns whether the manifest names the file as a part of one of its segments. */
bool sh_manifest_has(const struct sh_manifest *m, const char *name);

/* Returns the value of a setting, or an empty slice when the archive has no such setting. */
struct sh_slice sh_manifest_setting(const struct sh_manifest *m, struct sh_slice name);

#endif
