/* An archive: the documents of earlier batches, as sorted record files in a folder.
 *
 * The folder holds
 *
 *     manifest     the settings and the segments (manifest.h)
 *     lock         locked by flock(2) while a run reads or writes
 *     journal      the files of a change that is under way (journal.h)
 *     XXXXXXXX.*   segments (segment.h), which never change
 *
 * A change (change.h) writes new segments, syncs them, and replaces the manifest by rename. A run
 * that is killed at any instant leaves the old archive or the new one. The next change removes the
 * other files that the killed run has made.
 *
 * Segments are merged as in a log-structured merge tree (O'Neil et al. 1996), so their number stays
 * small. In an archive of m batches a record is written about log4(m) times. */
#ifndef SH_ARCHIVE_ARCHIVE_H
#define SH_ARCHIVE_ARCHIVE_H

#include "archive/journal.h"
#include "archive/loose.h"
#include "archive/segment.h"

struct sh_archive {
	struct sh_folder folder;
	struct sh_buf text; /* of the manifest */
	struct sh_manifest manifest;
	struct sh_segment *segment; /* segments of the manifest, once the archive is locked */
	size_t n_segments;
	struct sh_loose *loose; /* borrowed, set by the caller; NULL: no signal removes files */
};

/* Creates an archive without documents in a new or empty folder. SH_ERR_PARAM: the folder has an
 * archive, the remains of one, or any other file. loose: see sh_archive.loose. wait: in seconds. */
int sh_archive_create(const char *path, const struct sh_manifest *m, uint64_t wait,
    struct sh_loose *loose, struct sh_error *err);

/* Returns whether a file of an archive may have this name. */
bool sh_archive_owns(const char *name);

/* Opens an archive and reads its manifest, for its settings. The path must outlive the archive. */
int sh_archive_open(struct sh_archive *a, const char *path, struct sh_error *err);
void sh_archive_close(struct sh_archive *a);

/* Locks the archive, reads the manifest again and maps the segments. wait: at most, in seconds.
 * alone: for a change; the archive is synced first, and files of a killed change are removed.
 * SH_ERR_PARAM: another process kept the lock; or, with `alone`, the folder has a file with the
 * name of a segment's file that the archive did not create. */
int sh_archive_lock(struct sh_archive *a, bool alone, uint64_t wait, struct sh_error *err);

/* Returns the segment whose range of numbers includes the number, or NULL. */
struct sh_segment *sh_archive_segment_of(struct sh_archive *a, uint32_t number);

/* Reads the record of a document: returns 1, 0 when there is none, -1 on failure. *r is valid while
 * the archive is open. */
int sh_archive_record(
    struct sh_archive *a, uint32_t number, struct sh_doc_record *r, struct sh_error *err);

/* ---- for create.c and change.c ---- */

/* Reads the manifest: returns 1, 0 when there is none, -1 on failure. */
int sh_archive_read(struct sh_archive *a, struct sh_error *err);
/* Returns 1 when the folder has a file with the name of a segment's keys, 0 when it has none, or
 * -1. */
int sh_archive_has_keys(const struct sh_archive *a, struct sh_error *err);
/* Returns whether the manifest names the file, as a part of a segment. It has the type
 * sh_journal_kept. */
bool sh_archive_keeps(const void *archive, const char *name);

/* Fills *err for a folder without manifest. Returns -1. */
int sh_archive_no_manifest(const struct sh_archive *a, struct sh_error *err);
/* Fills *err for a file that is named like a file of an archive, but that the archive did not
 * create. others: the number of further files of this kind. Returns -1. */
int sh_archive_foreign(
    const struct sh_folder *folder, const char *name, size_t others, struct sh_error *err);

#endif
