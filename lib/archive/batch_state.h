/* The state that the sources of a batch share. In the order of a run:
 *
 *     batch.c          makes the state
 *     batch_worker.c   runs work on documents in several threads
 *     batch_kept.c     keeps features for sketches
 *     batch_keys.c     computes digests, features and keys
 *     batch_look.c     looks up keys of ids, then keys of documents that the archive does not know
 *     batch_known.c    finds documents that the archive knows
 *     batch_match.c    finds near-duplicates in the archive
 *     batch_add.c      adds documents to the archive */
#ifndef SH_ARCHIVE_BATCH_STATE_H
#define SH_ARCHIVE_BATCH_STATE_H

#include "archive/batch.h"
#include "archive/sketch.h"
#include "base/arena.h"
#include "base/num.h"
#include "group/verify.h"
#include "io/parallel.h"
#include "join/fpsort.h"
#include "record/fingerprint.h"

/* A key of a document. */
struct sh_probe {
	uint64_t key;
	uint32_t doc;
};

/* Keys to look up, with their documents. */
struct sh_probes {
	struct sh_sorted pairs; /* side: word is a key, id its document; by key, then by document */
	uint64_t *key;          /* the distinct keys, ascending */
	uint32_t *first;        /* by key: its first pair; n + 1 elements */
	size_t n;               /* number of distinct keys */
};

struct sh_batch_doc {
	uint64_t digest; /* of the text */
	struct sh_outcome outcome;
	uint32_t own;                  /* number in the archive, or SH_CORPUS_NONE */
	uint32_t keeper;               /* of a new document: a document of the batch */
	uint32_t same;                 /* of all documents of this id and text, the one written */
	uint16_t distance, similarity; /* of a new document: to the keeper */
	bool decided;                  /* sh_batch_decide() has set the keeper */
	bool has_features, is_known;
	/* n_kept features, or tokens of a sequence, 4 bytes each: see sh_batch_keep(); NULL: none
	 * are kept */
	const char *kept;
	size_t n_kept;
};

struct sh_batch {
	struct sh_batch_opts opts;
	struct sh_batch_doc *doc;
	struct sh_arena *kept;  /* one for each thread: features of documents */
	struct sh_probes ids;   /* keys of the ids of all documents */
	struct sh_probes bands; /* other keys of the documents that the archive does not know */
	uint32_t *by_text;      /* the documents of ids.pairs: by key, digest, number */
	struct sh_sorted candidates; /* side: word is document << 32 | number in the archive */
	struct sh_adding *adding;    /* see batch_add.c */
	/* opts.described bytes of each document, from document `first` on */
	struct sh_buf described;
	uint32_t first;
	struct sh_archive *archive; /* borrowed, during and after the lookup */
	struct sh_batch_stats stats;
};

/* The texts that a batch analyses. */
enum sh_batch_text {
	SH_BATCH_NEW, /* documents of the batch: their fingerprints, n-grams, and tokens in order */
	SH_BATCH_AGAIN,    /* documents of the batch whose features were not kept */
	SH_BATCH_ARCHIVED, /* documents of the archive, without escapes */
	SH_BATCH_TEXTS
};

/* The state of one thread. */
struct sh_batch_worker {
	struct sh_batch *batch;
	struct sh_arena *kept;                       /* borrowed from the batch */
	struct sh_analyser analyser[SH_BATCH_TEXTS]; /* empty until needed */
	struct sh_features *grams;                   /* NULL until needed */
	struct sh_document_room room;
	struct sh_key_list keys;
	struct sh_probe *probe; /* the thread's results: keys of documents, or candidates */
	size_t n_probes, probes_cap;
	const struct sh_probes *asked; /* the keys that are looked up, from asked->key[from] on */
	size_t from;
	struct sh_sketch sketch, sequence; /* of the document that is compared or stored */
	struct sh_hashes scratch;
	struct sh_verifier *verifier; /* NULL until needed */
	struct sh_buf text, escaped;
	uint64_t compared;
};

enum { SH_BATCH_GRAIN = 64 }; /* documents that a thread takes at once */

/* Makes the states of opts.jobs threads. */
struct sh_batch_worker *sh_batch_workers_new(struct sh_batch *b, struct sh_error *err);
void sh_batch_workers_delete(struct sh_batch *b, struct sh_batch_worker *w);

/* Calls fn for ranges of n tasks, at most `grain` each, in opts.jobs threads. Then calls last()
 * once, with all workers, unless a task failed. */
int sh_batch_parallel(struct sh_batch *b, size_t n, size_t grain, sh_tasks_fn *fn,
    int (*last)(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err),
    struct sh_error *err);

/* Analyses a text. Only SH_BATCH_NEW gives a fingerprint. With edit similarity, other texts
 * give the tokens in their order and no n-grams. */
int sh_batch_analyse_text(struct sh_batch_worker *w, enum sh_batch_text which, struct sh_slice text,
    struct sh_analysis *out, struct sh_error *err);

/* Adds the n-grams to a set of tokens in their order. The set is valid until the next call. */
int sh_batch_add_grams(struct sh_batch_worker *w, struct sh_feature_set *set, struct sh_error *err);

/* Keeps the first 32 bits of the features of a document, or of its tokens in order when edit
 * similarity makes matches. Keeps none when keep_bytes are used up. */
int sh_batch_keep(struct sh_batch_worker *w, struct sh_batch_doc *d,
    const struct sh_feature_set *set, struct sh_error *err);

/* Sets *set to the features of a document as the archive stores them: with edit similarity the
 * tokens in order, otherwise the hashes. count is not set. Only stores of documents have more than
 * the first 32 bits of each hash. The set is valid until the next call with the same worker. */
int sh_batch_kept(
    struct sh_batch_worker *w, uint32_t document, struct sh_feature_set *set, struct sh_error *err);

/* Adds a pair to w->probe. */
int sh_batch_add_probe(struct sh_batch_worker *w, uint64_t key, uint32_t doc, struct sh_error *err);
/* Collects w->probe of all workers, sorted by key, then by document, distinct. bits: of the largest
 * key. */
int sh_batch_gather(struct sh_batch *b, struct sh_batch_worker *w, unsigned bits,
    struct sh_sorted *pairs, struct sh_error *err);

/* Analyses the documents that the archive does not know, and collects their keys. */
int sh_batch_analyse(struct sh_batch *b, struct sh_error *err);

/* Sets *doc to the documents whose id has the key b->ids.key[key], and whose text has this digest;
 * NULL: any digest. They are sorted by digest, then by number. Returns how many. */
size_t sh_batch_of_id(
    const struct sh_batch *b, size_t key, const uint64_t *digest, const uint32_t **doc);

/* Fills *err for a document without a valid record in the archive. Returns -1. */
int sh_batch_broken(uint32_t number, struct sh_error *err);

/* Sets the outcome of the documents that have id and text of archived document `number`, whose id
 * has the key b->ids.key[key]. */
int sh_batch_set_known(
    struct sh_batch_worker *w, size_t key, uint32_t number, struct sh_error *err);
/* Makes documents new again that were dropped and are protected now. Then counts known
 * documents. */
void sh_batch_count_known(struct sh_batch *b);
/* Drops all but one of the documents with one id and text that stayed; see sh_batch_opts.newest. */
int sh_batch_drop_repeated(struct sh_batch *b, struct sh_error *err);
/* Finds the outcome of new documents with a near-duplicate among the candidates. */
int sh_batch_match(struct sh_batch *b, struct sh_error *err);

#endif
