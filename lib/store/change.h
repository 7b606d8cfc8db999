/* SPDX-License-Identifier: MIT */
/* Changes an archive: writes new segments and a new manifest beside the old ones, then replaces the
 * old ones.
 *
 *     sh_store_change_begin(&c, store, err)
 *     sh_store_change_document() for each new document
 *     sh_store_change_posting() for each of their postings, in order
 *     sh_store_change_add_segment(&c, err)
 *     sh_store_change_commit(&c, err)
 *     sh_store_change_end(&c)                 also after a failure
 *
 * The store must be locked alone. */
#ifndef SH_STORE_CHANGE_H
#define SH_STORE_CHANGE_H

#include "store/store.h"

/* A segment of n documents has the class floor(log4(n)). A merge takes the last segments, as far
 * back as no class exceeds the class of the last segment. It needs at least SH_STORE_FAN_OUT
 * segments. A merged segment may cause a further merge. All merges of a change are made as one. */
enum { SH_STORE_FAN_OUT = 4 };

struct sh_store_change {
	struct sh_store *store;
	/* the new manifest; its settings point into the store's text */
	struct sh_store_manifest next;
	struct sh_segment_writer *to; /* the segment that is written; NULL: none */
	/* the new manifest is in place, or may be: sh_store_change_end() undoes nothing */
	bool is_out;
};

/* Begins a change of a store that is locked for a change, which must outlive it. Call
 * sh_store_change_end() also after -1. */
int sh_store_change_begin(struct sh_store_change *c, struct sh_store *s, struct sh_error *err);

/* Adds a document to the new segment. It has the number c->next.next_number, which then grows by
 * 1. r->id must be a part of r->line; r->number is not used. SH_ERR_RANGE: no number is left, or
 * the line has 2^32 bytes or more. */
int sh_store_change_document(
    struct sh_store_change *c, const struct sh_record *r, struct sh_error *err);
/* Adds a posting of a new document. Postings come by key, document and place. */
int sh_store_change_posting(
    struct sh_store_change *c, const struct sh_store_posting *p, struct sh_error *err);
/* Completes the new segment, and merges the newest segments by the rule of SH_STORE_FAN_OUT. most:
 * documents of a merge, at most, so that a change never takes long; 0: without a limit. Does
 * nothing without new documents. */
int sh_store_change_add_segment(struct sh_store_change *c, uint64_t most, struct sh_error *err);

/* Puts the new manifest in place, when the change has changed anything, then removes the files that
 * it does not need. The maps of the store's segments stay until the store is unlocked. */
int sh_store_change_commit(struct sh_store_change *c, struct sh_error *err);

/* Ends a change, and removes its files when it was not committed. */
void sh_store_change_end(struct sh_store_change *c);

/* ---- whole changes ---- */

/* Merges all segments into one. */
int sh_store_compact(struct sh_store *s, struct sh_error *err);

/* Returns whether the document is to be removed. Called for each document once. */
typedef bool sh_store_unwanted(void *arg, const struct sh_record *r);

/* Removes documents, and all documents that were dropped as their duplicates. dry: counts them
 * only. Sets *documents to their number, and *kept to the number of those that had stayed. Reads
 * the records of all documents, and rewrites each segment that loses a document. */
int sh_store_remove(struct sh_store *s, sh_store_unwanted *unwanted, void *arg, bool dry,
    uint64_t *documents, uint64_t *kept, struct sh_error *err);

#endif
