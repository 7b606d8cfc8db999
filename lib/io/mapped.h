/* A whole input as bytes in memory. A regular file with a size is mapped. Any other input is copied to a
 * temporary file without a name, which is mapped. All threads may read all bytes.
 *
 * Nobody must shorten the file while it is mapped: the system ends a program that reads beyond the end.
 * sh_mapped_check() finds a change between two passes. */
#ifndef SH_IO_MAPPED_H
#define SH_IO_MAPPED_H

#include "base/error.h"
#include "base/slice.h"
#include "io/codec.h"

struct sh_mapped {
	const char
	    *p; /* the first byte that was not read before; SH_PAD readable bytes follow the last */
	size_t n;
	const char *name;             /* for messages; borrowed */
	const struct sh_codec *codec; /* of the file as it was; NULL: not compressed */
	int fd;                       /* -1 when it was closed before the mapping */
	void *base;
	size_t length; /* of the mapping */
	size_t size;   /* of the file */
};

/* "-" is standard input. dir is the folder of the temporary file; NULL: the default. */
int sh_mapped_open(struct sh_mapped *m, const char *name, const char *dir, struct sh_error *err);
/* Does nothing with a zeroed struct. */
void sh_mapped_close(struct sh_mapped *m);

/* Closes the descriptor, for programs that map more files than they may have open. The bytes stay. */
void sh_mapped_close_descriptor(struct sh_mapped *m);

/* Fails when the size of the file has changed. The descriptor must be open. */
int sh_mapped_check(const struct sh_mapped *m, struct sh_error *err);

#endif
