/* Reads and writes descriptors: goes on after a signal, and waits when a descriptor is non-blocking. */
#ifndef SH_IO_DESCRIPTOR_H
#define SH_IO_DESCRIPTOR_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Reads once, at most n bytes. Returns the number of bytes, 0 at the end, or -1 with errno. */
ssize_t sh_read_some(int fd, void *p, size_t n);

/* Writes all n bytes. Returns 0, or -1 with errno. */
int sh_write_all(int fd, const void *p, size_t n);

/* Waits until fd can be read. Returns false when poll() failed. */
bool sh_wait_for_input(int fd);

/* Fills *err for a file that could not be read, from errno. A folder is a common mistake: the message names
 * the program for folders. */
int sh_cannot_read(const char *name, struct sh_error *err);

/* Fills *err for a file that could not be opened for reading, from errno. A confined program (io/confine.h)
 * may read the files of its command line as they were when it began: the message says so when another file
 * has been renamed to that name since. */
int sh_cannot_open(const char *name, struct sh_error *err);

/* Enlarges the buffer of a pipe, so that writer and reader wait for each other less often. Does nothing when
 * fd is no pipe. */
void sh_enlarge_pipe(int fd);

#endif
