/* SPDX-License-Identifier: MIT */
/* Remembers which files of a folder are finished, so that a killed run can continue.
 *
 * A list in the folder holds the settings of the run, and a line for each finished file:
 *
 *     simhash-shards 1
 *     LINES OF THE RUN                    options and inputs, chosen by the caller
 *     done CHECKSUM BYTES NAME            CHECKSUM: XXH3 of the file, 16 hex digits
 *
 * A file is finished only when the list has its line and the file has this checksum. A last line
 * without LF is ignored. One process at a time may work in the folder. */
#ifndef SH_IO_FINISHED_H
#define SH_IO_FINISHED_H

#include "io/folder.h"

#define SH_FINISHED_LIST ".simhash-shards" /* name of the list; no file may have it */

struct sh_finished {
	struct sh_folder folder;
	char *const *name; /* names of the files in the folder; borrowed */
	size_t n;
	bool *done;          /* by file: the file is finished */
	struct sh_buf old;   /* the list of the earlier run; empty: no earlier run */
	struct sh_sink list; /* the list of this run */
	bool open;           /* the folder is open */
};

/* Creates the folder if needed, locks it (sh_folder_lock(), with `wait`) and reads its list.
 * Compares `lines`, the first LINES OF THE RUN, with the list. Each line ends in LF. SH_ERR_PARAM:
 * another process has the lock; or the folder has one of the files but no list; or the lines
 * differ. Call sh_finished_close() also after -1. */
int sh_finished_open(struct sh_finished *f, const char *dir, char *const *name, size_t n,
    uint64_t wait, struct sh_slice lines, struct sh_error *err);

/* Compares `lines`, all LINES OF THE RUN, with the list. Then finds the finished files, sets
 * f->done, removes temporary files of earlier runs, and writes the new list. */
int sh_finished_begin(struct sh_finished *f, struct sh_slice lines, struct sh_error *err);

/* Returns the checksum that the list uses. */
uint64_t sh_finished_sum(struct sh_slice bytes);

/* Adds file i to the list, and syncs the list. The file must be complete and synced. */
int sh_finished_add(struct sh_finished *f, size_t i, struct sh_error *err);

/* Closes the list, which stays in the folder. Does nothing with a zeroed struct. */
void sh_finished_close(struct sh_finished *f);

#endif
