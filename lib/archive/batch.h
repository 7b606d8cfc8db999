/* SPDX-License-Identifier: MIT */
/* A batch of documents against an archive of documents (lib/store), and into it.
 *
 * The archive has every document of earlier batches, by id and digest of the text. A document that
 * stayed has its keys, and its sketch or its text. A dropped document has its keeper and the
 * verdict on both. So a document that the archive knows changes nothing, and has the same outcome
 * again: how documents are divided into batches does not matter.
 *
 *     sh_batch_options()   then sh_engine_new(), and all documents to the corpus and the engine
 *     sh_store_lock()
 *     sh_batch_run()       the outcome of each document: sh_batch_stays(), sh_batch_keeper()
 *     sh_batch_add()
 *     sh_batch_free(), sh_store_unlock()
 *
 * In the store the key of a posting is made of the column, the hash, and a last bit which says
 * whether the document meets all (match/keys.h).
 *
 * A sketch is the tokens of the document in their order, 4 bytes each, little-endian: the upper
 * half of each token's hash under the archive's key. Two different tokens are equal in sketches
 * with probability 2^-32. */
#ifndef SH_ARCHIVE_BATCH_H
#define SH_ARCHIVE_BATCH_H

#include "match/engine.h"
#include "store/store.h"

/* What the archive knows of a document of the batch. */
enum sh_known { SH_KNOWN_NOT, SH_KNOWN_STAYED, SH_KNOWN_DROPPED };

struct sh_batch_document {
	uint64_t digest; /* of the text */
	uint64_t id_key; /* see sh_store_id_key() */
	/* In the archive: of a known document its number, its keeper and the verdict on both. Of a
	 * new document the number that it has or gets: see sh_batch_run(). */
	uint32_t number, keeper;
	struct sh_verdict verdict;
	uint8_t known; /* enum sh_known */
	bool recorded; /* the document is added to the archive */
};

struct sh_batch {
	/* Borrowed; set by the caller. The engine follows sh_batch_options(). */
	struct sh_store *store;
	const struct sh_corpus *corpus;
	struct sh_tables *tables;
	struct sh_engine *engine;
	bool newest;  /* of copies of one archived document the last one stays, not the first */
	uint64_t now; /* the time of new documents, in seconds since 1970 */

	/* Results. */
	struct sh_batch_document *document; /* by document; NULL before sh_batch_run() */
	/* archived documents that may be near-duplicates, and keepers of known documents, by
	 * number; in the engine they stand behind the documents of the batch */
	uint32_t *stored;
	size_t n_stored;
	/* documents that were known; new ones that are similar to archived ones; added ones, and
	 * how many of these stay */
	uint64_t n_known, n_matched, n_added, n_kept;

	/* Private. */
	struct sh_feature_opts features;
	struct sh_batch_reader *reader; /* by thread */
	uint32_t *order; /* the documents by key of the id, digest of the text, and number */
	struct sh_store_change *change; /* of sh_batch_add() */
	unsigned jobs;
};

/* Completes the options of the engine for this archive: features, stored and stored_arg. The other
 * options must be final. */
int sh_batch_options(struct sh_batch *b, struct sh_engine_opts *opts, struct sh_error *err);

/* Sets set->ordered to the tokens of an archived document. It has the type of
 * sh_engine_opts.stored. */
int sh_batch_stored(void *batch, unsigned thread, uint32_t document, struct sh_feature_set *set,
    struct sh_error *err);

/* Adds the archived documents that share a key with a document of the batch to the engine. */
int sh_batch_find(struct sh_batch *b, struct sh_error *err);
/* Leaves the documents that the archive knows out of the engine, calls sh_batch_find(), runs the
 * engine, and numbers and counts the new documents. Documents of one id and text are one.
 * The archive must be locked until the end of the batch. */
int sh_batch_run(struct sh_batch *b, struct sh_error *err);

/* Return whether the document is a duplicate of an archived one, and whether no document of the
 * batch or of the archive replaces it. */
static inline bool sh_batch_drops(const struct sh_batch *b, uint32_t document)
{
	return sh_engine_keeper(b->engine, document) >= b->corpus->n;
}
static inline bool sh_batch_stays(const struct sh_batch *b, uint32_t document)
{
	return sh_engine_keeper(b->engine, document) == document;
}
/* Returns the number of a document's keeper in the archive. */
uint32_t sh_batch_keeper(const struct sh_batch *b, uint32_t document);
/* Sets *id to the id of a document's keeper, of the archive or of the batch. *id is valid while the
 * archive is locked, and until `room` is used again. Needs no store when there is no archive. */
int sh_batch_keeper_id(const struct sh_batch *b, uint32_t document, struct sh_document_room *room,
    struct sh_slice *id, struct sh_error *err);
/* Reads the record of an archived document, which must exist. */
int sh_batch_record(
    const struct sh_batch *b, uint32_t number, struct sh_record *r, struct sh_error *err);

/* Adds the new documents to the archive. merges: see sh_store_change_add_segment(). */
int sh_batch_add(struct sh_batch *b, uint64_t merges, struct sh_error *err);

/* Frees what the batch owns, also in the middle. Does nothing with a zeroed struct. */
void sh_batch_free(struct sh_batch *b);

#endif
