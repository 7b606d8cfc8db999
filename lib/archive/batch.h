/* A batch: documents that are compared with an archive and then added to it.
 *
 *     sh_batch_new(); sh_batch_prepare();      the archive need not be locked yet
 *     sh_batch_look_up(); ... sh_batch_outcome() ...
 *     sh_batch_decide() for each new document; sh_batch_commit()
 *
 * The archive records every document of a batch, by id and digest of the text. A document that
 * stayed is recorded with its keys and features. A dropped document is recorded with its keeper,
 * and with distance and similarity to the keeper. So a document that the archive knows changes
 * nothing, and has the same outcome again. The division of documents into batches does not
 * matter. */
#ifndef SH_ARCHIVE_BATCH_H
#define SH_ARCHIVE_BATCH_H

#include "archive/archive.h"
#include "archive/keys.h"
#include "fp/analysis.h"
#include "stream/corpus.h"

struct sh_batch_opts {
	const struct sh_corpus *corpus;
	struct sh_fingerprint_opts fp; /* the features have its tokens, too */
	struct sh_key_rule rule;       /* has the thresholds of a match, too */
	enum sh_archive_store store;           /* of the archive */
	unsigned k;  /* most distance of a match, in bits; used when no features are compared */
	bool escape; /* digests are of texts with escapes; false: of texts as they come */
	bool verify; /* compare features, when the archive stores them */
	/* of known documents with one id and text the last one stays; false: the first one */
	bool newest;
	uint64_t now; /* seconds since 1970 */
	/* Most bytes of features that are kept in memory for sketches. Other documents are
	 * tokenised again for their sketches. Only archives with sketches need it. */
	size_t keep_bytes;
	/* Bytes of features that are compared, in all threads: see sh_verify_opts.memory. */
	size_t verify_bytes;
	unsigned jobs;
	/* None of these functions is NULL. describe() writes `described` bytes about a document
	 * that the archive does not know, in any thread. digest: of its text. collect() then
	 * receives each document, in one thread and in order, with these bytes; with NULL when the
	 * archive knows the document. */
	size_t described;
	void (*describe)(void *arg, struct sh_fingerprinter *f, const struct sh_fingerprint *fp,
	    uint64_t digest, void *to);
	int (*collect)(void *arg, uint32_t document, const void *described, struct sh_error *err);
	/* Returns the fingerprint of a document that was taken, in SH_FP_WORDS(fp.bits) words. */
	const uint64_t *(*fingerprint)(void *arg, uint32_t document);
	bool (*is_protected)(void *arg, uint32_t document);
	void *arg;
};

enum sh_outcome_kind {
	SH_OUTCOME_NEW,   /* the archive has neither the document nor a near-duplicate */
	SH_OUTCOME_STAYS, /* the archive knows the document, which stayed */
	/* the archive knows the document, which was dropped; or stayed, and the batch repeats it */
	SH_OUTCOME_DROPPED,
	SH_OUTCOME_MATCHED, /* the archive has a near-duplicate only */
};

enum { SH_UNVERIFIED = UINT16_MAX };

/* What the lookup found for a document. A new document has a kind only. */
struct sh_outcome {
	enum sh_outcome_kind kind;
	uint32_t keeper;     /* number of the keeper in the archive */
	uint16_t distance;   /* to the keeper, in bits */
	uint16_t similarity; /* to the keeper in ten thousandths, or SH_UNVERIFIED */
	struct sh_slice id;  /* id of the keeper; valid while the archive is open */
};

struct sh_batch_stats {
	uint64_t known, matched; /* documents of the batch */
	uint64_t compared;       /* pairs of a document and a candidate */
	uint64_t added, kept;    /* documents recorded; of these, documents that stay */
};

struct sh_batch;

struct sh_batch *sh_batch_new(const struct sh_batch_opts *opts, struct sh_error *err);
void sh_batch_delete(struct sh_batch *b);

/* Computes the digests of all documents of the corpus, and the keys of their ids. */
int sh_batch_prepare(struct sh_batch *b, struct sh_error *err);

/* Finds the outcome of each document. Analyses the documents that the archive does not know. The
 * archive must be locked. */
int sh_batch_look_up(struct sh_batch *b, struct sh_archive *a, struct sh_error *err);

/* Returns whether a document that was looked up has features. */
bool sh_batch_has_features(const struct sh_batch *b, uint32_t document);

/* Returns the outcome of a document of the batch, after the lookup. It belongs to b. */
const struct sh_outcome *sh_batch_outcome(const struct sh_batch *b, uint32_t document);

/* Sets the keeper of a new document: the number of a document of the batch, its own number when it
 * stays. distance: to the keeper, in bits. similarity: to the keeper, as in struct sh_outcome. */
void sh_batch_decide(
    struct sh_batch *b, uint32_t document, uint32_t keeper, unsigned distance, unsigned similarity);

/* Adds new and matched documents to the archive, which must be locked for a change. */
int sh_batch_commit(struct sh_batch *b, struct sh_archive *a, struct sh_error *err);

/* Returns the counts so far. They belong to b. */
const struct sh_batch_stats *sh_batch_stats(const struct sh_batch *b);

#endif
