/* SPDX-License-Identifier: MIT */
/* Functions for the tests of archives. */
#ifndef ARCHIVE_UTIL_H
#define ARCHIVE_UTIL_H

#include <stdio.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/error.h"
#include "tap.h"

/* Ends the test like must(), with the message of the error. */
static inline void works(int good, const struct sh_error *err)
{
	if (!good && err)
		printf("# %s\n", err->text);
	must(good);
}

static inline int by_value(const void *a, const void *b)
{
	return sh_compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Removes a folder with its content. */
static inline void forget(const char *path)
{
	char command[300];

	snprintf(command, sizeof command, "rm -rf '%s'", path);
	must(system(command) == 0);
}

#endif
