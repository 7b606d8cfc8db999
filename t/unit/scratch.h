/* SPDX-License-Identifier: MIT */
/* Makes a name of a file or folder for one test, in TMPDIR or /tmp. No other process uses the name.
 * The test creates the file or folder and removes it. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SCRATCH_MAX = 256 };

static inline void scratch(char path[SCRATCH_MAX], const char *name)
{
	const char *dir = getenv("TMPDIR");
	int n =
	    snprintf(path, SCRATCH_MAX, "%s/simhash-%s.XXXXXX", dir && *dir ? dir : "/tmp", name);

	if (n < 0 || n >= SCRATCH_MAX || !mkdtemp(path) || rmdir(path) < 0) {
		printf("Bail out! no folder can be made in TMPDIR\n");
		exit(1);
	}
}

#endif
