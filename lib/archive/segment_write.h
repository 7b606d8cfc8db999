/* A segment (segment.h) in the making. */
#ifndef SH_ARCHIVE_SEGMENT_WRITE_H
#define SH_ARCHIVE_SEGMENT_WRITE_H

#include "archive/checked.h"

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

/* Whatever comes of it, sh_segment_abandon() frees. */
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
