/* A whole input as bytes in memory. A regular file with a size is mapped. Any other input is copied to a
 * temporary file without a name, which is mapped. All threads may read all bytes.
 *
 * The file must not become shorter while it is mapped: the system would end the program at the first read
 * behind the end. sh_mapped_check() finds a change between two passes. */
#ifndef SH_IO_MAPPED_H
#define SH_IO_MAPPED_H

#include "base/error.h"
#include "base/slice.h"
#include "io/codec.h"

struct sh_mapped {
	/* The bytes from the position that the descriptor had. SH_PAD more bytes can be read. */
	const char *p;
	size_t n;
	const char *name;             /* for messages; borrowed */
	const struct sh_codec *codec; /* compressed form of the input; NULL: not compressed */
	int fd;                       /* -1 when it was closed before the input was mapped */
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

/* Gives the memory of the file back to the system. The bytes are read again when they are used. */
void sh_mapped_forget(const struct sh_mapped *m);

/* Reads n bytes of m->p, from offset `at`, with the descriptor, which must be open. */
int sh_mapped_read(
    const struct sh_mapped *m, uint64_t at, void *to, size_t n, struct sh_error *err);

/* Returns -1 when the file's size has changed since it was opened. The descriptor must be open. */
int sh_mapped_check(const struct sh_mapped *m, struct sh_error *err);

#endif
