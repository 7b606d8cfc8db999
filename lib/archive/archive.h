/* An archive: the documents of earlier runs, as sorted record files in a folder.
 *
 * The folder holds
 *
 *     manifest     what it was made with, and its files (manifest.h)
 *     lock         held by flock(2) while a run reads or writes
 *     XXXXXXXX.*   segments (segment.h), which never change
 *
 * A change writes new segments beside the old ones, syncs them, and puts a new manifest in the
 * old one's place. Killed at any instant, the archive is the old one or the new one; what was
 * written for another is removed by the next change.
 *
 * Segments are merged as in a log-structured merge tree (O'Neil et al. 1996): when the newest
 * SH_FAN_OUT of like size or less stand together they become one. So each record is written some
 * log4 N times, and there are few segments to look into. */
#ifndef SH_ARCHIVE_ARCHIVE_H
#define SH_ARCHIVE_ARCHIVE_H

#include "archive/loose.h"
#include "archive/segment.h"

enum { SH_FAN_OUT = 4 };

struct sh_archive {
	struct sh_folder folder;
	struct sh_buf text; /* of the manifest */
	struct sh_manifest manifest;
	struct sh_segment *segment; /* those of the manifest, once it is locked */
	size_t n_segments;
	struct sh_loose *loose; /* borrowed, set once it is open; NULL: nobody wants to know */
};

/* Make a new one, with no documents. SH_ERR_PARAM: there is one already, or what is left of
 * one. loose: as sh_archive.loose. */
int sh_archive_create(const char *path, const struct sh_manifest *m, uint64_t wait,
    struct sh_loose *loose, struct sh_error *err);

/* Whether a file of this name in the folder is the archive's. */
bool sh_archive_owns(const char *name);

/* Read the manifest: what is needed to compare settings. The path must outlive the archive. */
int sh_archive_open(struct sh_archive *a, const char *path, struct sh_error *err);
void sh_archive_close(struct sh_archive *a);

/* Lock it, read the manifest again, map the segments. `alone`: for a change; what is there is on
 * the disk then, whoever wrote it, and leftovers of runs that were killed are removed. */
int sh_archive_lock(struct sh_archive *a, bool alone, uint64_t wait, struct sh_error *err);

/* The segment that would have this document, or NULL. */
struct sh_segment *sh_archive_segment_of(struct sh_archive *a, uint32_t number);

/* The record of a document: 1, 0 when there is none, -1. */
int sh_archive_record(
    struct sh_archive *a, uint32_t number, struct sh_doc_record *r, struct sh_error *err);

/* ---- changes ---- */

/* A change in the making: segments that will be there instead. */
struct sh_change {
	struct sh_archive *archive;
	struct sh_manifest next; /* its settings point into the archive's text */
	bool is_out; /* whether it has happened, or may have: nothing is taken back then */
};

int sh_change_begin(struct sh_change *c, struct sh_archive *a, struct sh_error *err);
/* Nothing has happened; files that were written for it are removed. Also after a commit: frees. */
void sh_change_end(struct sh_change *c);

/* The number of a segment that is about to be written. SH_ERR_RANGE: there is none left. */
int sh_change_number(struct sh_change *c, uint32_t *number, struct sh_error *err);

/* Merge segments from .. to-1 of the change into one. drop: a bit a number of a document that
 * goes, or NULL. *out is the entry; with no document left its `last` is before its `first`. */
int sh_change_merge(struct sh_change *c, size_t from, size_t to, const uint64_t *drop,
    struct sh_segment_entry *out, struct sh_error *err);

/* Merge as the rule wants it. */
int sh_change_settle(struct sh_change *c, struct sh_error *err);

/* From here on it has happened; then files that nothing refers to are removed. No signal comes
 * between the two. */
int sh_change_commit(struct sh_change *c, struct sh_error *err);

#endif
