/* Temporary files that nobody can see: what does not fit in memory goes there.
 *
 * The file has no name (it is unlinked at once), so that no signal, crash or kill
 * leaves it behind. */
#ifndef SH_IO_SPILL_H
#define SH_IO_SPILL_H

#include "base/buf.h"

/* `dir`, or $TMPDIR, or /tmp when dir is NULL. */
const char *sh_spill_folder(const char *dir);

/* A new empty file in `dir`, or $TMPDIR, or /tmp when dir is NULL: descriptor or -1. */
int sh_spill_open(const char *dir, struct sh_error *err);

/* All n bytes at the file's end / from offset `at`; fewer bytes than n is an error. */
int sh_spill_write(int fd, const void *p, size_t n, struct sh_error *err);
int sh_spill_read(int fd, void *p, size_t n, uint64_t at, struct sh_error *err);

#endif
