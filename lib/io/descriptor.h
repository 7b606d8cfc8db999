/* SPDX-License-Identifier: MIT */
/* Reads from and writes to descriptors. The functions continue after a signal, and wait when a
 * descriptor is non-blocking. Also compares files, and blocks signals for a short time. */
#ifndef SH_IO_DESCRIPTOR_H
#define SH_IO_DESCRIPTOR_H

#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"

/* Reads at most n bytes, once. Returns the number of bytes, 0 at the end, or -1 with errno. */
ssize_t sh_read_some(int fd, void *p, size_t n);

/* Reads n bytes from offset `at`, or fewer at the end of the file, and leaves the position of the
 * descriptor as it is. Returns the number of bytes, or -1 with errno. */
ssize_t sh_read_at(int fd, void *p, size_t n, uint64_t at);

/* Writes all n bytes. Returns 0, or -1 with errno. */
int sh_write_all(int fd, const void *p, size_t n);

/* Fills *err from errno, with SH_ERR_IO, for a file that could not be read. Returns -1. The message
 * for a folder names shdoc, which reads folders. */
int sh_cannot_read(const char *name, struct sh_error *err);

/* Does the same for a file that could not be opened for reading. The message says when a file that
 * replaced an input is refused to a confined program (io/confine.h). */
int sh_cannot_open(const char *name, struct sh_error *err);

/* Returns whether both are one file: device and inode are equal. */
static inline bool sh_is_one_file(const struct stat *x, const struct stat *y)
{
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

/* Enlarges the buffer of a pipe: writer and reader wait less often. Does nothing for other fds. */
void sh_enlarge_pipe(int fd);

/* Blocks all signals of the thread, and sets *before to the signal mask that sh_hold_end()
 * restores. Signals that arrive meanwhile are delivered then. Pairs of calls may be nested. */
void sh_hold_begin(sigset_t *before);
void sh_hold_end(const sigset_t *before);

#endif
