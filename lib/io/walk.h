/* SPDX-License-Identifier: MIT */
/* Visits the files below a folder in the bytewise order of their paths, which is the order of
 * `find -type f | LC_ALL=C sort`, on every file system. */
#ifndef SH_IO_WALK_H
#define SH_IO_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hmap.h"

struct sh_walk {
	bool follow; /* follow symbolic links */
	/* Called with each regular file, open for reading; must close fd. A nonzero result ends the
	 * walk. */
	int (*file)(void *arg, const char *path, int fd, struct sh_error *err);
	/* Called with each file or folder that cannot be opened; err->file is its path. A nonzero
	 * result ends the walk. */
	int (*trouble)(void *arg, struct sh_error *err);
	void *arg;

	/* Counts of skipped names. */
	uint64_t links;     /* links that are not followed; folders that were visited before */
	uint64_t special;   /* FIFOs, sockets, devices */
	uint64_t temporary; /* unfinished outputs of other programs: .NAME.XXXXXX */

	struct sh_hmap visited; /* private to sh_walk(): folders, by device and inode */
};

/* Visits each folder once. Opens each name relative to its open folder: the folder may be renamed
 * meanwhile. Returns 0, -1, or the nonzero result of a callback. */
int sh_walk(struct sh_walk *w, const char *folder, struct sh_error *err);

/* Returns whether the path leads to a folder, also through symbolic links. */
bool sh_is_folder(const char *path);

/* Returns whether the path leads to the file that is open as fd. */
bool sh_is_open_file(const char *path, int fd);

/* Returns whether the input `name` ("-" is standard input) is the regular file at `path`. */
bool sh_is_input(const char *name, const char *path);

#endif
