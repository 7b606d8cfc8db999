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
 * distance and similarity are to its keeper, which may stand in another segment. - is a similarity
 * that was not looked at, and the fingerprint where there are no features. The digest is of the
 * text, with the escapes of records under sh_batch_opts.escape.
 *
 * Nothing that was read is believed before the checksum of its block was compared, nor that
 * before the checksum of all checksums, which the manifest has. */
#ifndef SH_ARCHIVE_SEGMENT_H
#define SH_ARCHIVE_SEGMENT_H

#include "archive/checked.h"
#include "archive/records.h"

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

#endif
