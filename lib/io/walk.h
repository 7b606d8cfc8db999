/* The files below a folder, in the bytewise order of their paths: that of
 * `find -type f | LC_ALL=C sort`, whatever order the file system has. */
#ifndef SH_IO_WALK_H
#define SH_IO_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct sh_walk {
	bool follow; /* symbolic links too */
	/* A file: what it returns other than 0 ends the walk. */
	int (*file)(void *arg, const char *path, struct sh_error *err);
	/* A folder that cannot be read, err->file its path: likewise. */
	int (*trouble)(void *arg, struct sh_error *err);
	void *arg;

	/* Counted. */
	uint64_t links;   /* not followed, or leading in a circle */
	uint64_t special; /* neither files nor folders: sockets, devices */
};

/* 0, or what the callbacks returned. */
int sh_walk(struct sh_walk *w, const char *folder, struct sh_error *err);

/* Whether the path, through symbolic links, is a folder. */
bool sh_is_folder(const char *path);

/* Whether the path leads to the file that is open as fd. */
bool sh_is_open_file(const char *path, int fd);

/* Whether what is read by this name, "-" being standard input, is the regular file of that path. */
bool sh_is_input(const char *name, const char *path);

#endif
