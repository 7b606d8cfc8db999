/* A whole input as bytes in memory: mapped when it is a regular file with a size, else first
 * copied to a temporary file without a name. Any part may be looked at, in any order, by any thread.
 *
 * The file must not be cut short while it is mapped: the system ends a program that reads
 * beyond the end. sh_mapped_check() tells of a change between two looks. */
#ifndef SH_IO_MAPPED_H
#define SH_IO_MAPPED_H

#include "base/error.h"
#include "base/slice.h"

struct sh_mapped {
	const char *p; /* from where the file was to be read on; SH_PAD readable bytes follow */
	size_t n;
	const char *name; /* as messages say it; borrowed */
	int fd;
	void *base;
	size_t length; /* of the mapping */
	size_t size;   /* of the file */
};

/* "-" is standard input. dir: for the temporary file, NULL the default. */
int sh_mapped_open(struct sh_mapped *m, const char *name, const char *dir, struct sh_error *err);
/* A zeroed one is closed. */
void sh_mapped_close(struct sh_mapped *m);

/* An error when the file is no more as long as it was. */
int sh_mapped_check(const struct sh_mapped *m, struct sh_error *err);

#endif
