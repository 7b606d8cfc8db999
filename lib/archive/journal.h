/* The journal of a change: the names of the files that the change creates, or that it makes
 * superfluous.
 *
 *     simhash-archive-journal 1 KEY     KEY is the archive's key, 32 hexadecimal digits
 *     NAME CHECKSUM                     one line a file; CHECKSUM is XXH3 of NAME, 16 digits
 *
 * A name is on the disk before its file is created. When a change was killed, the next change reads
 * the journal. It removes the files that the journal names and the manifest does not. A last line
 * without LF is ignored: the change was killed before it created that file. */
#ifndef SH_ARCHIVE_JOURNAL_H
#define SH_ARCHIVE_JOURNAL_H

#include "io/folder.h"

#define SH_JOURNAL_NAME "journal"

struct sh_journal {
	const struct sh_folder *folder; /* borrowed */
	struct sh_folder_file file;     /* open for writing when its folder is set */
	struct sh_buf names;            /* each ends with NUL */
};

/* Adds a name, and creates the journal before the first one. key: the archive's. */
int sh_journal_add(
    struct sh_journal *j, const uint64_t *key, const char *name, struct sh_error *err);

/* Writes the names that were added to the disk. */
int sh_journal_sync(struct sh_journal *j, struct sh_error *err);

/* Reads the journal of a killed change. Returns 1, or 0 when there is no journal. key: the
 * archive's; NULL accepts the journal of any archive. SH_ERR_RECORD: the file is not a journal, or
 * is the journal of another archive. */
int sh_journal_read(struct sh_journal *j, const uint64_t *key, struct sh_error *err);

/* Returns whether the journal has the name. */
bool sh_journal_has(const struct sh_journal *j, const char *name);

/* Removes the files that the journal names and kept() rejects, then the journal. */
typedef bool sh_journal_kept(const void *arg, const char *name);
int sh_journal_clear(
    struct sh_journal *j, sh_journal_kept *kept, const void *arg, struct sh_error *err);

/* Closes the journal and leaves its file as it is. A zeroed journal is closed. */
void sh_journal_free(struct sh_journal *j);

#endif
