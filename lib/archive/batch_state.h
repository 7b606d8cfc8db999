/* The state that the sources of a batch share. In the order of a run:
 *
 *     batch.c          makes the state
 *     batch_worker.c   runs work on documents in several threads
 *     batch_kept.c     keeps features for sketches
 *     batch_keys.c     computes keys and digests
 *     batch_look.c     looks keys up: candidates, then outcomes by the next two
 *     batch_known.c    finds documents that the archive knows
 *     batch_match.c    finds near-duplicates in the archive
 *     batch_add.c      adds documents to the archive */
#ifndef SH_ARCHIVE_BATCH_STATE_H
#define SH_ARCHIVE_BATCH_STATE_H

#include "archive/batch.h"
#include "archive/sketch.h"
#include "base/arena.h"
#include "base/num.h"
#include "fp/features.h"
#include "io/parallel.h"
#include "record/fingerprint.h"

/* A key of a document, to look up. */
struct sh_probe {
	uint64_t key;
	uint32_t doc;
};

/* A document of the batch and a document of the archive that share a key. */
struct sh_batch_candidate {
	uint32_t doc, number;
};

/* A document of the archive with the key of an id. key: index of the key in sh_batch.key; several documents of
 * the batch may have this key. */
struct sh_id_posting {
	uint32_t key, number;
};

struct sh_batch_doc {
	uint64_t digest; /* of the text */
	struct sh_outcome outcome;
	uint32_t own;                  /* number in the archive, or SH_CORPUS_NONE */
	uint32_t keeper;               /* of a new document: a document of the batch */
	uint32_t same;                 /* the document of this id and text that is written */
	uint16_t distance, similarity; /* of a new document: to the keeper */
	bool decided;                  /* sh_batch_decide() has set the keeper */
	bool has_features, is_known;
	const char
	    *kept; /* n_kept features, 4 bytes each: see sh_batch_keep(); NULL: none are kept */
	size_t n_kept;
};

struct sh_batch {
	struct sh_batch_opts opts;
	struct sh_batch_doc *doc;
	struct sh_arena *kept;  /* one for each thread: features of documents */
	struct sh_probe *probe; /* distinct, sorted by key, then by document */
	size_t n_probes;
	uint64_t *key;           /* distinct keys of the probes, ascending */
	uint32_t *first;         /* by key: its first probe */
	size_t n_keys, first_id; /* from key first_id on: the keys of ids */
	uint32_t *by_text;       /* documents of the probes of ids: sorted by key, digest, number */
	struct sh_batch_candidate *candidate;
	size_t n_candidates, candidates_cap;
	struct sh_id_posting *id_posting; /* of one key in ascending order of numbers */
	size_t n_id_postings, id_postings_cap;
	struct sh_archive *archive; /* borrowed, during and after the lookup */
	struct sh_batch_stats stats;
};

/* The state of one thread. */
struct sh_batch_worker {
	struct sh_batch *batch;
	struct sh_arena *kept; /* borrowed from the batch */
	uint64_t *unpacked;    /* features that were kept, as hashes */
	size_t unpacked_cap;
	struct sh_features *features, *raw; /* NULL until needed; raw: for texts without escapes */
	struct sh_document_room room;
	struct sh_key_list keys;
	struct sh_probe *probe;
	size_t n_probes, probes_cap;
	struct sh_sketch own, other;
	struct sh_buf text, escaped;
	uint64_t compared;
};

/* Calls fn for ranges of all documents in opts.jobs threads. Then calls last once, with all workers. */
int sh_batch_parallel(struct sh_batch *b, sh_tasks_fn *fn,
    int (*last)(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err),
    struct sh_error *err);

/* Computes the set of a text. raw: the text has no escapes. The set is valid until the next call with the same
 * worker and the same raw. */
int sh_batch_features(struct sh_batch_worker *w, bool raw, struct sh_slice text,
    struct sh_feature_set *set, struct sh_error *err);

/* Frees what a worker owns. A zeroed worker owns nothing. */
void sh_batch_worker_free(struct sh_batch_worker *w);

/* Keeps the first 32 bits of the features of a document, unless keep_bytes are used up. */
int sh_batch_keep(struct sh_batch_worker *w, struct sh_batch_doc *d,
    const struct sh_feature_set *set, struct sh_error *err);

/* Returns the features of a document for a sketch: the first 32 bits of each hash count, and no occurrences are
 * counted. The set is valid until the next call with the same worker. */
int sh_batch_kept(
    struct sh_batch_worker *w, uint32_t document, struct sh_feature_set *set, struct sh_error *err);

/* Finds the documents with the key of an id and this digest; NULL: any digest. Sets *doc to the documents,
 * sorted by digest, then by number, and returns their count. */
size_t sh_batch_of_id(
    const struct sh_batch *b, size_t key, const uint64_t *digest, const uint32_t **doc);

/* The error for a document that the archive should have a record of. Returns -1. */
int sh_batch_broken(uint32_t number, struct sh_error *err);

/* Finds the outcome of documents that the archive knows by id and text. */
int sh_batch_find_known(struct sh_batch *b, struct sh_error *err);
/* Drops all but one of the documents that have one id and text, and stayed. */
int sh_batch_drop_repeated(struct sh_batch *b, struct sh_error *err);
/* Finds the outcome of new documents that have a near-duplicate among the candidates. */
int sh_batch_match(struct sh_batch *b, struct sh_error *err);

#endif
