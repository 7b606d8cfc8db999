/* The files below a folder, in the bytewise order of their paths: that of
 * `find -type f | LC_ALL=C sort`, whatever order the file system has. */
#ifndef SH_IO_WALK_H
#define SH_IO_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hmap.h"

struct sh_walk {
	bool follow; /* symbolic links too */
	/* Called with each regular file, open for reading; the function closes fd. Nonzero ends the walk. */
	int (*file)(void *arg, const char *path, int fd, struct sh_error *err);
	/* Called with each file or folder that cannot be opened, whose path is err->file. Nonzero ends the walk. */
	int (*trouble)(void *arg, struct sh_error *err);
	void *arg;

	/* Counted. */
	uint64_t links;     /* not followed, or folders that were visited before */
	uint64_t special;   /* neither files nor folders: FIFOs, sockets, devices */
	uint64_t temporary; /* files that a program is writing: .NAME.XXXXXX */

	struct sh_hmap visited; /* folders, by device and inode */
};

/* Visits each folder once. Files and folders are opened relative to the folder that was listed, so that a folder
 * renamed meanwhile leads nowhere else. Returns 0, or what a callback returned. */
int sh_walk(struct sh_walk *w, const char *folder, struct sh_error *err);

/* Whether the path, through symbolic links, is a folder. */
bool sh_is_folder(const char *path);

/* Whether the path leads to the file that is open as fd. */
bool sh_is_open_file(const char *path, int fd);

/* Whether what is read by this name, "-" being standard input, is the regular file of that path. */
bool sh_is_input(const char *name, const char *path);

#endif
