/* SPDX-License-Identifier: MIT */
/* Temporary files for data that does not fit in memory.
 *
 * A file has no name, so it disappears with the process, however the process ends. */
#ifndef SH_IO_SPILL_H
#define SH_IO_SPILL_H

#include "base/buf.h"

/* Returns the folder of temporary files: `dir`, or $TMPDIR when `dir` is NULL. Returns "/tmp" for
 * an empty or missing name. */
const char *sh_spill_folder(const char *dir);

/* Creates an empty file in sh_spill_folder(dir). Returns its descriptor, or -1. */
int sh_spill_open(const char *dir, struct sh_error *err);

/* Closes the file, which disappears. Does nothing when fd is -1. */
void sh_spill_close(int fd);

/* Writes n bytes at the position of the descriptor. Returns 0 or -1. */
int sh_spill_write(int fd, const void *p, size_t n, struct sh_error *err);
/* Reads n bytes from offset `at`. Returns 0; or -1, also when the file is shorter. */
int sh_spill_read(int fd, void *p, size_t n, uint64_t at, struct sh_error *err);

#endif
