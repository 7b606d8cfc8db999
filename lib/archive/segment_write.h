/* Writes a new segment (segment.h). */
#ifndef SH_ARCHIVE_SEGMENT_WRITE_H
#define SH_ARCHIVE_SEGMENT_WRITE_H

#include "archive/checked.h"

struct sh_part_writer {
	struct sh_folder_file file;
	char block[SH_BLOCK];
	size_t n;           /* bytes in the block */
	struct sh_buf sums; /* checksums of the blocks before, as lines */
	uint64_t records;
};

struct sh_segment_writer {
	const struct sh_folder *folder;
	enum sh_archive_store store;
	struct sh_segment_entry entry;
	struct sh_part_writer part[SH_PART_SUM];
	bool empty; /* the entry has no range of numbers yet: see sh_segment_covers() */
};

/* Creates the files. After success and after failure, sh_segment_abandon() must free the writer. */
int sh_segment_create(struct sh_segment_writer *w, const struct sh_folder *folder, uint32_t number,
    enum sh_archive_store store, struct sh_error *err);

/* Writes `records` lines with their LFs. Lines must be in order. */
int sh_segment_write_lines(struct sh_segment_writer *w, enum sh_part part, struct sh_slice lines,
    uint64_t records, struct sh_error *err);
/* Writes one line with its LF. */
int sh_segment_write(
    struct sh_segment_writer *w, enum sh_part part, struct sh_slice line, struct sh_error *err);

/* Extends the range of numbers of the segment's entry to first .. last. */
void sh_segment_covers(struct sh_segment_writer *w, uint32_t first, uint32_t last);

/* Writes all data to the disk, and completes w->entry. */
int sh_segment_finish(struct sh_segment_writer *w, struct sh_error *err);
/* Frees a writer, finished or not. A zeroed writer owns nothing. */
void sh_segment_abandon(struct sh_segment_writer *w);

#endif
