/* Compressed input through the system's own decompressors: child processes whose exit
 * status counts. What is compressed is told by its first bytes, never by its name. */
#ifndef SH_IO_DECOMPRESS_H
#define SH_IO_DECOMPRESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/slice.h"

/* Bytes of a file's beginning that tell all forms that there are; a few more, where they are
 * there, tell bzip2's from text. */
#define SH_COMPRESSED_MAGIC 6

struct sh_decompress {
	const char *program; /* NULL: none is running */
	pid_t pid, feeder;   /* feeder: writes what was read already, then the rest; or 0 */
	int errors;          /* a file without a name: what the program said */
};

/* The program that reads a file with this beginning, NULL when it is not compressed. */
const char *sh_decompressor(struct sh_slice head);

/* An error where records are expected: what begins so is compressed. */
int sh_refuse_compressed(struct sh_slice head, struct sh_error *err);

/* Run the program on the bytes of `head` and what fd still holds. fd is taken when it can be
 * rewound or no head was read; it is closed by the caller after sh_decompress_end() either
 * way. Returns the descriptor to read from, the caller's, or -1. */
int sh_decompress_start(struct sh_decompress *d, const char *program, int fd, struct sh_slice head,
    struct sh_error *err);

/* After the last byte was read, or (all false) when nobody wants the rest: wait for the
 * program. An error tells what it complained about. */
int sh_decompress_end(struct sh_decompress *d, bool all, struct sh_error *err);

#endif
