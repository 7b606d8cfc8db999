/* SPDX-License-Identifier: MIT */
/* Finds where an output to a path goes. */
#ifndef SH_IO_TARGET_H
#define SH_IO_TARGET_H

#include <stdbool.h>

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

#endif
