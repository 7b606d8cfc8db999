/* SPDX-License-Identifier: MIT */
/* An archive: the documents of earlier runs, in a folder, for shdedup and for shspan.
 *
 *     manifest           the settings and the segments (manifest.h)
 *     lock               locked by flock(2) while a run reads or writes
 *     manifest.KEY       a manifest that is not in place yet
 *     NUMBER.KEY.*       segments (segment.h), which never change
 *
 * A change (change.h) writes new segments, syncs them, and replaces the manifest by rename. A run
 * that is killed at any instant leaves the old archive or the new one. The next change removes the
 * files of this archive that the manifest does not name.
 *
 * Segments are merged as in a log-structured merge tree (O'Neil et al. 1996), so their number stays
 * small. In an archive of m batches a record is written about log4(m) times. */
#ifndef SH_STORE_STORE_H
#define SH_STORE_STORE_H

#include "store/segment.h"

struct sh_store {
	struct sh_folder folder;
	struct sh_buf text; /* of the manifest */
	struct sh_store_manifest manifest;
	struct sh_store_segment *segment; /* of the manifest, once the archive is locked */
	size_t n_segments;
};

/* Makes an archive without documents in a new or empty folder. m: kind, form and settings; its key
 * is made unless it is given. wait: for the lock, in seconds. SH_ERR_PARAM: the folder has an
 * archive, the remains of one, or any other file. */
int sh_store_create(
    const char *path, const struct sh_store_manifest *m, uint64_t wait, struct sh_error *err);

/* Returns whether a folder has a manifest: 1, 0 when it has none or does not exist, -1 when that
 * cannot be told. */
int sh_store_exists(const char *path, struct sh_error *err);

/* Opens an archive and reads its manifest, for its settings. kind: the archive must have this kind;
 * SH_STORE_KINDS: any kind. The path must outlive the archive. SH_ERR_PARAM: the folder has no
 * archive of this kind. */
int sh_store_open(
    struct sh_store *s, const char *path, enum sh_store_kind kind, struct sh_error *err);
/* Does nothing with a zeroed struct. */
void sh_store_close(struct sh_store *s);

/* Locks the archive, reads the manifest again and maps the segments. wait: at most, in seconds.
 * alone: for a change; the folder is synced first, and files of a killed change are removed.
 * SH_ERR_PARAM: another process kept the lock, or the archive was replaced by another one. */
int sh_store_lock(struct sh_store *s, bool alone, uint64_t wait, struct sh_error *err);
/* Gives the lock back. Views of the segments end. sh_store_lock() may be called again. */
void sh_store_unlock(struct sh_store *s);

/* Reads the record of a document: returns 1, 0 when there is none, -1 on failure. The slices of *r
 * are valid until sh_store_unlock() or sh_store_close(). */
int sh_store_record(struct sh_store *s, uint32_t number, struct sh_record *r, struct sh_error *err);

/* Returns the key of an id in the lists of ids. */
uint64_t sh_store_id_key(const struct sh_store_manifest *m, struct sh_slice id);

/* Looks up n ascending keys in all segments; see sh_store_segment_look(). The postings of
 * all keys come segment after segment; in a segment the postings of a key come by document. */
int sh_store_look(struct sh_store *s, enum sh_list list, const uint64_t *key, size_t n, size_t most,
    sh_store_found *found, void *arg, struct sh_error *err);

/* A walk over the records of all documents, by number. Zeroed: before the first record. */
struct sh_store_walk {
	size_t segment, record;
};

/* Reads the next record: returns 1, 0 after the last record, -1 on failure. The document and its
 * keeper have numbers below manifest.next_number. */
int sh_store_next(
    struct sh_store *s, struct sh_store_walk *at, struct sh_record *r, struct sh_error *err);

/* Adds 1 to count[keeper] for each document. count: manifest.next_number elements. Reads no lines.
 * SH_ERR_RECORD: a keeper has no such number. */
int sh_store_count(struct sh_store *s, uint32_t *count, struct sh_error *err);

/* Reads every byte of a locked archive. Checks checksums, forms, order and numbers, and that the
 * parts of a document agree. SH_ERR_RECORD: the first error found. */
int sh_store_check(struct sh_store *s, unsigned jobs, struct sh_error *err);

/* ---- for change.c ---- */

/* Returns the name of a manifest that is not in place yet. */
void sh_store_new_name(char out[SH_STORE_PART_NAME], const struct sh_store_manifest *m);
/* Removes the files of this archive that the manifest does not name. */
int sh_store_clean(struct sh_store *s, struct sh_error *err);

/* Returns whether a file of an archive may have this name. */
bool sh_store_owns(const char *name);

#endif
