/* SPDX-License-Identifier: MIT */
/* Reads files before their turn.
 *
 * One thread at a time takes the files, in their order. A thread that would wait meanwhile opens a
 * later file, and reads and decompresses its beginning. Only regular files are read ahead: the open
 * of a FIFO waits for its writer. Any other file is left to the thread that takes it. So is a file
 * that cannot be opened or whose first bytes are damaged: that thread reports it. */
#ifndef SH_IO_AHEAD_H
#define SH_IO_AHEAD_H

#include "io/reader.h"

struct sh_ahead;

/* Begins before file `first` of n files. Files in flight: threads + 1. Borrows the names. Returns
 * NULL when memory is short. */
struct sh_ahead *sh_ahead_new(char *const *names, size_t n, size_t first, unsigned threads);
void sh_ahead_delete(struct sh_ahead *a);

/* Reads the beginning of the next file. Returns false when there is no file to read ahead now. Any
 * thread may call it. */
bool sh_ahead_work(struct sh_ahead *a);

/* Returns a reader of file i, valid until the next call; or NULL when the caller is to open the
 * file. `i` increases from call to call. Works or waits while another thread reads the file. */
struct sh_reader *sh_ahead_take(struct sh_ahead *a, size_t i);

#endif
