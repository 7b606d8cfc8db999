/* Where an output goes that is written to a path. */
#ifndef SH_IO_TARGET_H
#define SH_IO_TARGET_H

#include <stdbool.h>

enum sh_target {
	SH_TARGET_OPEN,    /* to a descriptor that is open already, such as standard output */
	SH_TARGET_DIRECT,  /* into a file that is no regular file: a FIFO, a device */
	SH_TARGET_FILE,    /* to a regular file, which is replaced or made */
	SH_TARGET_NOWHERE, /* nowhere: errno says why */
};

/* Sets *target for SH_TARGET_FILE only: the path of the file, links of its last component followed, to be
 * freed. Links that the kernel does not follow (fs.protected_symlinks) lead nowhere. */
enum sh_target sh_target_find(const char *path, char **target);

/* Returns the descriptor that a name such as /dev/stdout or /dev/fd/3 stands for, or -1. */
int sh_target_descriptor(const char *path);

/* Whether two outputs would go to one file, FIFO or descriptor, where one would overwrite the other.
 * False for a device such as /dev/null, which takes both. NULL or "-" is standard output. Paths that
 * cannot be looked at are compared as strings. */
bool sh_target_same(const char *a, const char *b);

#endif
