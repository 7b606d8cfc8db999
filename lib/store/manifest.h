/* SPDX-License-Identifier: MIT */
/* The manifest: a small text file that has the settings of an archive and names its segments. A
 * file that the manifest does not name does not belong to the archive.
 *
 *     simhash-archive 3                        version of the format
 *     kind documents|passages                  the archive of shdedup or of shspan
 *     store sketch|documents                   what a segment has of a document
 *     option NAME VALUE                        a setting; none, one or several lines
 *     key HEX                                  of ids, digests and keys; 32 digits
 *     next-number HEX                          of the next document
 *     next-segment HEX
 *     segment NUMBER FIRST LAST DOCUMENTS KEPT POSTINGS BYTES CHECKSUM
 *                                              ascending; NUMBER, FIRST, LAST and CHECKSUM are
 *                                              hexadecimal; FIRST, LAST: numbers of documents;
 *                                              KEPT: documents that stay; BYTES: of the documents
 *     checksum HEX                             XXH3 of all lines before
 *
 * in this order. A manifest that sh_store_manifest_print() would write in another way is
 * refused. */
#ifndef SH_STORE_MANIFEST_H
#define SH_STORE_MANIFEST_H

#include <stdint.h>

#include "base/buf.h"

enum sh_store_kind { SH_STORE_OF_DOCUMENTS, SH_STORE_OF_PASSAGES, SH_STORE_KINDS };
enum sh_store_form { SH_STORE_SKETCH, SH_STORE_DOCUMENTS, SH_STORE_FORMS };

extern const char *const sh_store_form_name[SH_STORE_FORMS];

/* sum: XXH3 of the segment's checksums of blocks. */
struct sh_store_segment_entry {
	uint32_t number, first, last; /* documents first .. last; some may have been removed */
	uint64_t documents, kept, postings, bytes, sum;
};

struct sh_store_manifest {
	enum sh_store_kind kind;
	enum sh_store_form form;
	struct sh_slice settings; /* lines "option NAME VALUE", each with its LF; borrowed */
	uint64_t key[2];
	uint32_t next_number, next_segment;
	struct sh_store_segment_entry *segment; /* owned */
	size_t n_segments, segments_cap;
};

/* Reads a manifest. The settings point into the text. SH_ERR_RECORD: the text is damaged, or has
 * another version of the format. Then *m is empty. */
int sh_store_manifest_parse(
    struct sh_store_manifest *m, struct sh_slice text, struct sh_error *err);
/* Appends the text of the manifest to *out. */
int sh_store_manifest_print(
    const struct sh_store_manifest *m, struct sh_buf *out, struct sh_error *err);
/* Copies a manifest. The copy borrows the same settings. Free the copy also after -1. */
int sh_store_manifest_copy(
    struct sh_store_manifest *to, const struct sh_store_manifest *m, struct sh_error *err);
void sh_store_manifest_free(struct sh_store_manifest *m);

/* Appends a copy of the segment's entry. */
int sh_store_manifest_add(
    struct sh_store_manifest *m, const struct sh_store_segment_entry *e, struct sh_error *err);

struct sh_store_setting {
	struct sh_slice name, value;
};

/* Removes the first line of manifest.settings from *lines, and sets *s to its words. Returns false
 * when *lines does not begin with such a line. */
bool sh_store_setting_next(struct sh_slice *lines, struct sh_store_setting *s);

/* Returns the value of a setting, or an empty slice when the archive has no such setting. */
struct sh_slice sh_store_manifest_setting(const struct sh_store_manifest *m, struct sh_slice name);

/* Returns the number of documents recorded. */
uint64_t sh_store_manifest_documents(const struct sh_store_manifest *m);

#endif
