/* SPDX-License-Identifier: MIT */
/* The archive (lib/store) of shdedup: looks documents up in it and adds documents to it.
 *
 * The archive has every document of earlier runs, by id and digest of the text. A document that
 * stayed has its keys, and its sketch or its text. A dropped document has its keeper and the
 * verdict on both. So a document that the archive knows changes nothing, and has the same outcome
 * again: how documents are divided into runs does not matter.
 *
 * In the store the key of a posting is made of the column, the hash, and a last bit which says that
 * the document is not short (match/keys.h): so the short documents of a bucket come first, as in
 * match/bucket.h.
 *
 * A sketch is the tokens of the document in their order, 4 bytes each, little-endian: the upper
 * half of each token's hash under the archive's key. Two different tokens are equal in sketches
 * with probability 2^-32. */
#ifndef DEDUP_ARCHIVE_H
#define DEDUP_ARCHIVE_H

#include "cli.h"
#include "match/engine.h"
#include "store/store.h"

struct dedup_archive_settings {
	const char *dir; /* folder; NULL: no archive */
	bool wait_given;
	uint64_t wait; /* in seconds */
};

/* What the archive knows of a document of the run. */
enum dedup_known { DEDUP_NEW, DEDUP_STAYED, DEDUP_DROPPED };

struct dedup_known_document {
	uint64_t digest; /* of the text */
	uint64_t id_key; /* see sh_store_id_key() */
	uint32_t number; /* in the archive; of a known document only, like the rest */
	uint32_t keeper;
	uint16_t similarity;
	uint8_t measure, known; /* enum dedup_known */
};

/* The archive of a run, and what it says of the run's documents. */
struct dedup_archive {
	struct sh_store store;
	struct dedup_known_document *document; /* by document */
	/* the archived documents that may be near-duplicates, by number; the engine has them behind
	 * the documents of the run */
	uint32_t *stored;
	size_t n_stored, stored_cap;
	struct archive_reader *reader; /* by thread */
	uint64_t now;                  /* the time of the run's documents, in seconds since 1970 */
	uint64_t n_known, n_matched, n_added, n_kept;
};

struct dedup_settings;
struct dedup_state;

/* Checks the options after the last option was read. */
void dedup_archive_complete(struct cli *c, const struct dedup_settings *s);

/* Dies when an output would replace a file of the archive in `dir`. path: the output's, or NULL. */
void dedup_archive_keep_file(struct cli *c, const char *dir, const char *path);

/* Opens the archive before documents are read: it must exist, and have the settings of the run.
 * This function and the next ones do nothing without an archive. */
void dedup_archive_open(struct dedup_state *s, struct dedup_settings *settings);
/* Completes the options of the engine. */
void dedup_archive_engine(struct dedup_state *s, struct sh_engine_opts *opts);
/* Looks up the documents. Leaves those out of the engine that the archive knows, and adds the
 * archived documents with which the others are compared. From here on the archive is locked. */
void dedup_archive_look(struct dedup_state *s);
/* After sh_engine_run(): returns whether the document is a duplicate of an archived one. */
bool dedup_archive_drops(const struct dedup_state *s, uint32_t document);
/* For such a document: returns the number of its keeper in the archive; sets *id to the keeper's
 * id, valid while the archive is locked; returns the verdict on both. */
uint32_t dedup_archive_keeper(const struct dedup_state *s, uint32_t document);
int dedup_archive_keeper_id(
    struct dedup_state *s, uint32_t document, struct sh_slice *id, struct sh_error *err);
struct sh_verdict dedup_archive_verdict(const struct dedup_state *s, uint32_t document);
/* Adds the new documents to the archive, after all output was written. */
void dedup_archive_add(struct dedup_state *s);
/* Forgets the documents of the run, and gives the lock back: dedup_archive_engine() begins another
 * run. */
void dedup_archive_done(struct dedup_state *s);
void dedup_archive_close(struct dedup_state *s);

#endif
