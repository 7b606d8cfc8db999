/* Remembers which files of a folder are finished, so that a killed run can be continued.
 *
 * A list in the folder holds the settings of the run, and a line for each finished file:
 *
 *     simhash-shards 1
 *     LINES OF THE RUN                    its options and inputs, chosen by the caller
 *     done CHECKSUM BYTES NAME            CHECKSUM: XXH3 of the file, 16 digits
 *
 * A file is finished only when the list has its line and the file has this checksum. A last line without LF
 * is ignored. One process at a time may work in the folder. */
#ifndef SH_IO_FINISHED_H
#define SH_IO_FINISHED_H

#include "io/folder.h"

struct sh_finished {
	struct sh_folder folder;
	char *const *name; /* names of the files in the folder; borrowed */
	size_t n;
	bool *done;                 /* by file: it is finished */
	struct sh_buf old;          /* the list of the earlier run; empty: there was none */
	struct sh_folder_file list; /* the list of this run */
	bool open;
};

/* Creates the folder if needed, locks it (see sh_folder_lock()) and reads its list. SH_ERR_PARAM: the
 * folder has one of the files but no list, so another program made the file. */
int sh_finished_open(struct sh_finished *f, const char *dir, char *const *name, size_t n,
    uint64_t wait, struct sh_error *err);

/* Compares `lines` with the first lines of the folder's list. SH_ERR_PARAM when they differ. Without a list
 * there is no error. */
int sh_finished_compare(const struct sh_finished *f, struct sh_slice lines, struct sh_error *err);

/* Compares all lines, finds the finished files, removes temporary files of earlier runs, and writes the new
 * list. Afterwards f->done is valid. */
int sh_finished_begin(struct sh_finished *f, struct sh_slice lines, struct sh_error *err);

/* Returns the checksum that the list uses. */
uint64_t sh_finished_sum(struct sh_slice bytes);

/* Adds file i to the list. The file must be complete, and on the disk. */
int sh_finished_add(struct sh_finished *f, size_t i, struct sh_error *err);

/* Closes the list, which stays in the folder. Does nothing with a zeroed struct. */
void sh_finished_close(struct sh_finished *f);

#endif
