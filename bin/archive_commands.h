/* The commands of sharchive on an archive that exists, of shdedup or of shspan. */
#ifndef ARCHIVE_COMMANDS_H
#define ARCHIVE_COMMANDS_H

#include "dedup.h"

struct archive_command {
	struct cli *cli;
	const char *dir;
	uint64_t wait;      /* for the lock, in seconds */
	uint64_t age;       /* of expire, in seconds */
	bool dry_run, quiet;
};

/* Returns whether the folder has an archive of lib/store. */
int archive_is_store(const char *path, struct sh_error *err);

/* They die of errors. */
void archive_check(const struct archive_command *a);
void archive_compact(const struct archive_command *a);
void archive_expire(const struct archive_command *a);
void archive_remove(const struct archive_command *a);
void archive_stats(const struct archive_command *a);
void archive_export(const struct archive_command *a);

#endif
