/* A segment: the records that one or several batches have added, in files that never change.
 *
 *     .doc     number TAB time TAB keeper TAB distance TAB similarity TAB fp TAB digest TAB id
 *     .key     key TAB number                          see keys.h
 *     .set     number TAB count TAB features           with SH_ARCHIVE_SKETCH, see sketch.h
 *     .seq     number TAB count TAB tokens TAB count TAB places
 *                                                      with SH_ARCHIVE_SEQUENCE, see sketch.h
 *     .txt     number TAB text                         with SH_ARCHIVE_DOCUMENTS; with escapes
 *     .sum     XXH3 of each block of 4096 bytes of the other files, one line for each
 *
 * Lines are in the order of LC_ALL=C sort. A number has 8 hexadecimal digits. A time has 10 digits,
 * in seconds since 1970. A document that stayed is its own keeper. The keeper of a dropped document
 * may be in another segment; distance and similarity are to the keeper. "-" is a similarity that
 * was not computed, and the fingerprint of a document without features. The digest is of the text,
 * with escapes under sh_batch_opts.escape.
 *
 * A reader compares the checksum of a block before it uses the block. The checksum of all checksums
 * is in the manifest, and is compared when the segment is opened. */
#ifndef SH_ARCHIVE_SEGMENT_H
#define SH_ARCHIVE_SEGMENT_H

#include "archive/checked.h"
#include "archive/records.h"

struct sh_segment {
	struct sh_segment_entry entry;
	enum sh_archive_store store;
	struct sh_folder_map sums;
	struct sh_checked part[SH_PART_SUM];
};

/* Maps the files of a segment. Compares their sizes and the checksum of the checksums with the
 * manifest. */
int sh_segment_open(struct sh_segment *s, const struct sh_folder *folder,
    const struct sh_segment_entry *entry, enum sh_archive_store store, struct sh_error *err);
/* Closes a segment. A zeroed segment is closed. */
void sh_segment_close(struct sh_segment *s);

/* Sets *line to the line of a document in .doc or in the store, without its LF: a view of the map.
 * Returns 1, 0 when there is no such line, -1 on failure. */
int sh_segment_find(struct sh_segment *s, enum sh_part part, uint32_t number, struct sh_slice *line,
    struct sh_error *err);

/* Returns the number of records of .key. sh_segment_key() reads record i. */
size_t sh_segment_keys(const struct sh_segment *s);
int sh_segment_key(
    struct sh_segment *s, size_t i, uint64_t *key, uint32_t *number, struct sh_error *err);

/* Called for each record of a segment whose key is key[asked]. */
typedef int sh_key_found(void *arg, size_t asked, uint32_t number, struct sh_error *err);

/* Looks up n distinct keys, which must ascend. Reads only a few blocks around each key. */
int sh_segment_look(struct sh_segment *s, const uint64_t *key, size_t n, sh_key_found *found,
    void *arg, struct sh_error *err);

#endif
