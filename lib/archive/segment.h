/* A segment: the records that some runs have added, in files that never change.
 *
 *     .doc     number TAB time TAB keeper TAB distance TAB similarity TAB fp TAB digest TAB id
 *     .key     key TAB number                          see keys.h
 *     .set     number TAB count TAB features           see sketch.h; or
 *     .txt     number TAB text                         with the escapes of records
 *     .sum     a checksum a line: XXH3 of each 4096 bytes of these files, one after the other
 *
 * in the order of LC_ALL=C sort. Numbers are 8 hexadecimal digits, a time the seconds since
 * 1970 in 10 digits. A document that stayed is its own keeper; of one that was dropped, the
 * distance and similarity are to its keeper, which may stand in another segment. The digest is of
 * the text.
 *
 * Nothing that was read is believed before the checksum of its block was compared, nor that
 * before the checksum of all checksums, which the manifest has. */
#ifndef SH_ARCHIVE_SEGMENT_H
#define SH_ARCHIVE_SEGMENT_H

#include "archive/manifest.h"
#include "io/folder.h"

enum {
	SH_BLOCK = 4096,
	SH_SUM_LINE = 17, /* bytes of a line of .sum */
	SH_NUMBER_DIGITS = 8,
	SH_KEY_DIGITS = 12,
	SH_KEY_LINE = SH_KEY_DIGITS + 1 + SH_NUMBER_DIGITS + 1,
};

/* ---- reading ---- */

struct sh_checked {
	struct sh_folder_map map;
	const char *folder;
	char name[SH_NAME_MAX];
	const char *sums; /* a line a block */
	uint64_t *seen;   /* a bit a block that was found good; owned */
};

struct sh_segment {
	struct sh_segment_entry entry;
	enum sh_store store;
	struct sh_folder_map sums;
	struct sh_checked part[SH_PART_SUM];
};

/* Map a segment's files. Their sizes are compared, and the checksum of the checksums. */
int sh_segment_open(struct sh_segment *s, const struct sh_folder *folder,
    const struct sh_segment_entry *entry, enum sh_store store, struct sh_error *err);
/* A zeroed one is closed. */
void sh_segment_close(struct sh_segment *s);

/* Have the bytes from .. to-1 of a file compared, once. May be called by several threads. */
int sh_checked_need(struct sh_checked *c, size_t from, size_t to, struct sh_error *err);

/* The line that begins at byte `at`, without its LF. */
int sh_checked_line(struct sh_checked *c, size_t at, struct sh_slice *line, struct sh_error *err);

/* The line of .doc or of the store with a document's number: 1, 0 when there is none, -1. */
int sh_segment_find(struct sh_segment *s, enum sh_part part, uint32_t number, struct sh_slice *line,
    struct sh_error *err);

/* How many keys there are, and number i of them. */
size_t sh_segment_keys(const struct sh_segment *s);
int sh_segment_key(
    struct sh_segment *s, size_t i, uint64_t *key, uint32_t *number, struct sh_error *err);

/* Told of what stands in a segment with a key that was asked for. */
typedef int sh_key_found(void *arg, size_t asked, uint32_t number, struct sh_error *err);

/* Look up n keys in ascending order. Reads a few blocks about each of them, no more. */
int sh_segment_look(struct sh_segment *s, const uint64_t *key, size_t n, sh_key_found *found,
    void *arg, struct sh_error *err);

/* ---- records ---- */

/* A line of .doc; its slices are views. */
struct sh_doc_record {
	uint32_t number, keeper;
	uint64_t time;
	struct sh_slice distance, similarity, fp, id;
	uint64_t digest;
};

int sh_doc_parse(struct sh_slice line, struct sh_doc_record *r, struct sh_error *err);
int sh_doc_print(const struct sh_doc_record *r, struct sh_buf *out, struct sh_error *err);

/* The number that a line of .doc or of the store begins with. */
int sh_line_number(struct sh_slice line, uint32_t *number, struct sh_error *err);

void sh_key_print(char *out, uint64_t key, uint32_t number);

/* ---- writing ---- */

struct sh_part_writer {
	struct sh_folder_file file;
	char block[SH_BLOCK];
	size_t n;           /* of the block */
	struct sh_buf sums; /* lines */
	uint64_t records;
};

struct sh_segment_writer {
	const struct sh_folder *folder;
	enum sh_store store;
	struct sh_segment_entry entry;
	struct sh_part_writer part[SH_PART_SUM];
	bool empty;
};

int sh_segment_create(struct sh_segment_writer *w, const struct sh_folder *folder, uint32_t number,
    enum sh_store store, struct sh_error *err);

/* A whole line with its LF, in order. */
int sh_segment_write(
    struct sh_segment_writer *w, enum sh_part part, struct sh_slice line, struct sh_error *err);

/* The documents first .. last are, or were, in it. */
void sh_segment_covers(struct sh_segment_writer *w, uint32_t first, uint32_t last);

/* Everything to the disk; w->entry is complete then. */
int sh_segment_finish(struct sh_segment_writer *w, struct sh_error *err);
/* Frees a writer, finished or not; a zeroed one is nothing. */
void sh_segment_abandon(struct sh_segment_writer *w);

#endif
