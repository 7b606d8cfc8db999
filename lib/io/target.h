/* Finds where an output to a path goes. */
#ifndef SH_IO_TARGET_H
#define SH_IO_TARGET_H

#include <stdbool.h>

enum sh_target {
	SH_TARGET_OPEN,    /* to an open descriptor, such as standard output */
	SH_TARGET_DIRECT,  /* directly to a file that is not regular: a FIFO, a device */
	SH_TARGET_FILE,    /* to a regular file, which is created or replaced */
	SH_TARGET_NOWHERE, /* nowhere: errno has the reason */
};

/* Sets *target for SH_TARGET_FILE only: the path after following the links of its last component, to be
 * freed. A link that the kernel does not follow (fs.protected_symlinks) gives SH_TARGET_NOWHERE. */
enum sh_target sh_target_find(const char *path, char **target);

/* Returns the descriptor of a name such as /dev/stdout or /dev/fd/3, or -1 for any other name. */
int sh_target_descriptor(const char *path);

/* Returns whether two outputs go to one file, FIFO or descriptor, so that one would overwrite the other.
 * Returns false for a device such as /dev/null. NULL or "-" is standard output. Paths that cannot be
 * examined are compared as strings. */
bool sh_target_same(const char *a, const char *b);

#endif
