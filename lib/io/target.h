/* Where what is written to a path goes. */
#ifndef SH_IO_TARGET_H
#define SH_IO_TARGET_H

#include <stdbool.h>

enum sh_target {
	SH_TARGET_OPEN,     /* a descriptor that is open already, standard output too */
	SH_TARGET_STRAIGHT, /* what is there and is no regular file */
	SH_TARGET_FILE,     /* a regular file to be replaced or made: its name, links followed */
	SH_TARGET_NOWHERE,  /* errno says why */
};

/* *target, to be freed, is set for SH_TARGET_FILE. */
enum sh_target sh_target_find(const char *path, char **target);

/* The descriptor that a name such as /dev/stdout or /dev/fd/3 stands for, or -1. */
int sh_target_descriptor(const char *path);

/* Whether two outputs would end in one file, FIFO or descriptor: each takes what the other wrote,
 * or its place. A device such as /dev/null takes both. NULL or "-": standard output. What cannot be
 * looked at is the same by name alone. */
bool sh_target_same(const char *a, const char *b);

#endif
