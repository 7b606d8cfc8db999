/* A mapped file in blocks. A block is used only after its checksum was compared.
 *
 * A block has SH_BLOCK bytes; the last block may have fewer. The checksums (XXH3) are in another
 * file, each a line of 16 hexadecimal digits. A block is compared when it is first needed, so a few
 * lookups do not read the whole file. */
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
	const char *sums; /* one line for each block; borrowed */
	/* One bit for each block: its checksum was compared. Owned. 32 bits wide, as some machines
	 * have no atomic numbers of 64 bits. */
	uint32_t *seen;
};

/* Returns the number of blocks of a file of this size, which is its number of checksums. */
static inline size_t sh_checked_blocks(uint64_t bytes)
{
	return (size_t)((bytes + SH_BLOCK - 1) / SH_BLOCK);
}

/* Compares the blocks of bytes from .. to-1, each once. Several threads may call it. */
int sh_checked_need(struct sh_checked *c, size_t from, size_t to, struct sh_error *err);

/* Sets *line to the line that begins at byte `at`, without its LF: a view of the map. Several
 * threads may call it. */
int sh_checked_line(struct sh_checked *c, size_t at, struct sh_slice *line, struct sh_error *err);

/* Fills *err for a damaged file: its name, what is wrong, at which byte. Returns -1. */
int sh_checked_damaged(
    const struct sh_checked *c, const char *what, size_t at, struct sh_error *err);

#endif
