/* SPDX-License-Identifier: MIT */
/* Finds where an output to a path goes, and makes the file that replaces an existing one. */
#ifndef SH_IO_TARGET_H
#define SH_IO_TARGET_H

#include <stdbool.h>

#include "base/error.h"

enum sh_target {
	SH_TARGET_OPEN,    /* an open descriptor, such as /dev/stdout */
	SH_TARGET_DIRECT,  /* a file that is not regular: a FIFO, a device */
	SH_TARGET_FILE,    /* a regular file, which will be created or replaced */
	SH_TARGET_NOWHERE, /* nowhere: errno has the reason */
};

/* Returns where an output goes. "-" is the name of a file here. For SH_TARGET_FILE sets *target to
 * the path after following the links of its last component; the caller frees *target.
 * SH_TARGET_NOWHERE also for links that the kernel does not follow (fs.protected_symlinks). */
enum sh_target sh_target_find(const char *path, char **target);

/* Returns the descriptor of a name such as /dev/stdout or /dev/fd/3, or -1 for any other name. */
int sh_target_descriptor(const char *path);

/* Returns whether two outputs go to one file, FIFO or descriptor. Returns false for a device such
 * as /dev/null. NULL or "-" is standard output. Compares the strings when stat(2) fails. */
bool sh_target_same(const char *a, const char *b);

/* Returns the folder of the file at a path, "." for a bare name; NULL when memory is short. The caller
 * frees it. */
char *sh_target_folder(const char *path);

/* Returns false when rename(2) would certainly fail to replace the file `target`; errno has the
 * reason. Returns true also when there is no file. Changes nothing. */
bool sh_is_replaceable(const char *target);

/* Creates a file `name` in the folder of `target`, to be renamed to `target`. Overwrites the last
 * SH_REPLACE_UNIQUE bytes of `name` until no file has the name. Copies owner, group, access list
 * and mode of `target`, as far as this user may set them. Returns the descriptor; or -1, and no
 * file is left.
 *
 * Does not copy the owner when another user owns `target` in a sticky folder: the user may have put
 * the file there to receive the output. */
enum { SH_REPLACE_UNIQUE = 6 };
int sh_replace_create(char *name, const char *target, struct sh_error *err);

#endif
