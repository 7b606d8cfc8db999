/* SPDX-License-Identifier: MIT */
/* A whole file as bytes in memory. A regular file that is not compressed is mapped. All threads may
 * read all bytes.
 *
 * The file must not become shorter while it is mapped: the system would end the program at the
 * first read behind the end. sh_mapped_check() finds a change between two passes. */
#ifndef SH_IO_MAPPED_H
#define SH_IO_MAPPED_H

#include <stdbool.h>

#include "base/buf.h"

struct sh_mapped {
	/* The bytes from the position of the descriptor on. SH_PAD readable bytes follow. */
	const char *p;
	size_t n;
	const char *name;             /* for messages; borrowed */
	const struct sh_codec *codec; /* the form of a compressed file; NULL: not compressed */
	int fd;                       /* of the mapped file; -1: none, the bytes stay readable */
	void *base;                   /* NULL: not mapped */
	size_t length;                /* of the mapping, in bytes */
	size_t size;                  /* of the file, in bytes */
	struct sh_buf held;           /* the bytes of sh_mapped_take(); owned */
};

/* Maps a file; "-" is standard input. Returns 1; 0 when the input cannot be mapped (a pipe, a
 * compressed file), and then only name and codec are set; or -1. Does not open a FIFO. */
int sh_mapped_open(struct sh_mapped *m, const char *name, struct sh_error *err);
/* Maps the whole file fd, and takes fd, also when it fails. Returns 0 or -1. */
int sh_mapped_fd(struct sh_mapped *m, int fd, const char *name, struct sh_error *err);
/* Takes the bytes of a buffer, and leaves it empty. Returns 0, or -1 when memory is short. */
int sh_mapped_take(struct sh_mapped *m, struct sh_buf *bytes, struct sh_error *err);
/* As sh_mapped_open(), but reads an input that cannot be mapped into memory. Returns 0 or -1. */
int sh_mapped_load(struct sh_mapped *m, const char *name, struct sh_error *err);
/* Does nothing with a zeroed struct. */
void sh_mapped_close(struct sh_mapped *m);

/* Closes the descriptor, for programs that map more files than they may have open. */
void sh_mapped_close_descriptor(struct sh_mapped *m);

/* Announces how the bytes will be read: from beginning to end (whole), or at random offsets. */
void sh_mapped_expect(const struct sh_mapped *m, bool whole);

/* Gives the memory of the bytes back to the system, which reads the file again at the next use. */
void sh_mapped_forget(const struct sh_mapped *m);

/* Copies the n mapped bytes at p by reading the file. The descriptor must be open. */
int sh_mapped_read(
    const struct sh_mapped *m, const char *p, void *to, size_t n, struct sh_error *err);

/* Returns -1 when the size of the file has changed since sh_mapped_open(). Returns 0 without a
 * descriptor. */
int sh_mapped_check(const struct sh_mapped *m, struct sh_error *err);

#endif
