/* What every reading and writing of a descriptor needs: it goes on after a signal, and waits where somebody has
 * left the descriptor non-blocking. */
#ifndef SH_IO_DESCRIPTOR_H
#define SH_IO_DESCRIPTOR_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* One read of up to n bytes: how many, 0 at the end, -1 with errno. */
ssize_t sh_read_some(int fd, void *p, size_t n);

/* All of them, in as many writes as it takes: 0, or -1 with errno. */
int sh_write_all(int fd, const void *p, size_t n);

/* Wait until there is something to read; false when that cannot be waited for. */
bool sh_wait_for_input(int fd);

/* Fills *err for a file that could not be read, from errno. A folder is a common mistake: the message names
 * the program for folders. */
int sh_cannot_read(const char *name, struct sh_error *err);

/* Fills *err for a file that could not be opened for reading, from errno. A confined program (io/confine.h)
 * may read the files of its command line as they were when it began: the message says so when another file
 * has been renamed to that name since. */
int sh_cannot_open(const char *name, struct sh_error *err);

/* Enlarge the pipe behind fd, when it is one, so that writer and reader run in longer strides. */
void sh_enlarge_pipe(int fd);

#endif
