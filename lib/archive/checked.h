/* A file whose bytes are believed only after a checksum of their block was compared.
 *
 * Blocks are of SH_BLOCK bytes, the last one of what is left; their checksums, XXH3, stand in a
 * file of their own, a line of 16 hexadecimal digits each. A block is compared when it is needed
 * first, so that a look here and there costs no reading of all. */
#ifndef SH_ARCHIVE_CHECKED_H
#define SH_ARCHIVE_CHECKED_H

#include "archive/manifest.h"
#include "io/folder.h"

enum {
	SH_BLOCK = 4096,
	SH_SEEN_BITS = 32,
	SH_SUM_LINE = 17, /* bytes of a checksum's line */
};

struct sh_checked {
	struct sh_folder_map map;
	const char *folder; /* borrowed */
	char name[SH_NAME_MAX];
	const char *sums; /* a line a block; borrowed */
	/* A bit a block that was found good; owned. No wider: not all machines have atomic 64 bits. */
	uint32_t *seen;
};

/* How many blocks, and lines of checksums, a file of so many bytes has. */
static inline size_t sh_checked_blocks(uint64_t bytes)
{
	return (size_t)((bytes + SH_BLOCK - 1) / SH_BLOCK);
}

/* Have the bytes from .. to-1 of a file compared, once. May be called by several threads. */
int sh_checked_need(struct sh_checked *c, size_t from, size_t to, struct sh_error *err);

/* The line that begins at byte `at`, without its LF. */
int sh_checked_line(struct sh_checked *c, size_t at, struct sh_slice *line, struct sh_error *err);

/* SH_ERR_RECORD: the file, what is wrong, at which byte; -1. */
int sh_checked_damaged(
    const struct sh_checked *c, const char *what, size_t at, struct sh_error *err);

#endif
