/* What the parts of a batch share:
 *
 *     batch_worker.c   work on documents by several threads
 *     batch_keys.c     keys and digests of the documents
 *     batch.c          the keys looked up: candidates
 *     batch_known.c    of them, those that are the same document
 *     batch_match.c    of the others, those that are alike
 *     batch_add.c      what is new, into the archive */
#ifndef SH_ARCHIVE_BATCH_STATE_H
#define SH_ARCHIVE_BATCH_STATE_H

#include "archive/batch.h"
#include "archive/sketch.h"
#include "base/num.h"
#include "fp/features.h"
#include "io/parallel.h"
#include "record/fingerprint.h"

/* A document's key, to be looked up. */
struct sh_probe {
	uint64_t key;
	uint32_t doc;
};

/* A document and one of the archive that share a key. */
struct sh_meeting {
	uint32_t doc, number;
};

/* One of the archive that has the key of an id of the batch: many documents may have it. */
struct sh_namesake {
	uint32_t key, number;
};

struct sh_batch_doc {
	uint64_t digest; /* of the text */
	struct sh_fate fate;
	uint32_t own;    /* its number, when it is known or written; SH_CORPUS_NONE */
	uint32_t keeper; /* a document of the batch, when it is new */
	uint32_t same;   /* the document of the batch that is written for it, or itself */
	uint16_t distance, similarity; /* to the keeper */
	bool told;                     /* what became of it is known, and is to be written */
	bool has_features, is_known;
};

struct sh_batch {
	struct sh_batch_opts opts;
	struct sh_batch_doc *doc;
	struct sh_probe *probe; /* by key, then by document */
	size_t n_probes;
	uint64_t *key; /* distinct ones of the probes, and where each begins */
	uint32_t *first;
	size_t n_keys, first_id; /* the keys of ids are the last ones */
	uint32_t *by_text;       /* documents of the probes of ids: by key, digest, number */
	struct sh_meeting *candidate;
	size_t n_candidates, candidates_cap;
	struct sh_namesake *namesake; /* those of a key in ascending order */
	size_t n_namesakes, namesakes_cap;
	struct sh_archive *archive; /* while it is looked up */
	struct sh_batch_stats stats;
};

/* Of a thread. */
struct sh_batch_worker {
	struct sh_batch *batch;
	struct sh_features *features, *raw; /* raw: of texts without escapes */
	struct sh_document_room room;
	struct sh_key_list keys;
	struct sh_probe *probe;
	size_t n_probes, probes_cap;
	struct sh_sketch own, other;
	struct sh_buf text, escaped;
	uint64_t compared;
};

/* All documents of the batch, each a task; `last` is handed all workers afterwards. */
int sh_batch_parallel(struct sh_batch *b, sh_tasks_fn *fn,
    int (*last)(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err),
    struct sh_error *err);

/* The set of a text; raw: one without escapes. Valid until the next of the same worker and kind. */
int sh_batch_features(struct sh_batch_worker *w, bool raw, struct sh_slice text,
    struct sh_feature_set *set, struct sh_error *err);

/* The documents that have the key of an id and, unless NULL, this digest, in order of digest, then
 * of number: how many. */
size_t sh_batch_of_id(
    const struct sh_batch *b, size_t key, const uint64_t *digest, const uint32_t **doc);

/* SH_ERR_RECORD: the archive should have a record of this document; -1. */
int sh_batch_broken(uint32_t number, struct sh_error *err);

/* Fates of the documents that are candidates by id and have the same text. */
int sh_batch_find_known(struct sh_batch *b, struct sh_error *err);
/* Of those that stay as one document only one stays again. */
int sh_batch_drop_twins(struct sh_batch *b, struct sh_error *err);
/* Fates of the others that have a candidate like them. */
int sh_batch_match(struct sh_batch *b, struct sh_error *err);

#endif
