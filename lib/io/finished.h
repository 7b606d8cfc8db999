/* The finished files of a folder, so that a run that was killed goes on where it stopped.
 *
 * A list in the folder holds what the run was made with, and a line for each file that is complete:
 *
 *     simhash-shards 1
 *     LINES OF THE RUN                    its options and inputs, chosen by the caller
 *     done CHECKSUM BYTES NAME            CHECKSUM: XXH3 of the file, 16 digits
 *
 * A file counts as finished only when the list says so and the file has these bytes. A torn last line counts
 * as absent. One process at a time may work in the folder. */
#ifndef SH_IO_FINISHED_H
#define SH_IO_FINISHED_H

#include "io/folder.h"

struct sh_finished {
	struct sh_folder folder;
	char *const *name; /* of the files in the folder; borrowed */
	size_t n;
	bool *done;                 /* by file */
	struct sh_buf old;          /* the list as it was; empty: there was none */
	struct sh_folder_file list; /* as it is now */
	bool open;
};

/* Makes the folder if needed, locks it (see sh_folder_lock()), reads its list. SH_ERR_PARAM: a file of these
 * names is there and no list, so that another program has made it. */
int sh_finished_open(struct sh_finished *f, const char *dir, char *const *name, size_t n,
    uint64_t wait, struct sh_error *err);

/* SH_ERR_PARAM when the folder has a list whose lines are not these, as far as they go. */
int sh_finished_compare(const struct sh_finished *f, struct sh_slice lines, struct sh_error *err);

/* Compares all lines, finds the finished files, removes temporary files of earlier runs, writes the list
 * anew. From here on f->done is valid. */
int sh_finished_begin(struct sh_finished *f, struct sh_slice lines, struct sh_error *err);

/* The checksum of the list, of any bytes. */
uint64_t sh_finished_sum(struct sh_slice bytes);

/* Adds a file that is complete, and on the disk, to the list. */
int sh_finished_add(struct sh_finished *f, size_t i, struct sh_error *err);

/* Does nothing with a zeroed struct. The list stays. */
void sh_finished_close(struct sh_finished *f);

#endif
