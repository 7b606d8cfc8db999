/* SPDX-License-Identifier: MIT */
/* The match engine: documents to groups of near-duplicates, and the keeper of each group.
 *
 *     keys         sh_engine_describe() makes the keys of a document (match/keys.h), in any thread
 *     postings     sh_engine_add() collects them (match/posting.h) and sorts them (io/sorter.h)
 *     buckets      sh_engine_run() finds them: for each document its places in buckets, in the
 *                  order of ranks (match/partners.h), with one bound (match/posting.h)
 *     comparison   of the texts, exact, with tokens from an arena (match/comparer.h)
 *     decision     in the order of ranks: stars or chains
 *
 * A document has one number: its place in the input. Its rank is a permutation of the numbers:
 * protected documents first, then by the rank that the caller gives, then by number. Without ranks
 * and protected documents it is the number.
 *
 * Documents with the same tokens in the same order are one beforehand; their tokens are compared,
 * not only a hash. No other verdict is passed on: what is dropped was compared with its keeper.
 *
 * stars   A document is dropped when it is similar to one that stays and that it meets. Its keeper
 *         is the one of best rank. A protected document is never dropped.
 * chains  Documents that similar pairs connect are a group. Its document of best rank stays, and
 *         its protected documents. The verdict on a document and its keeper may be lower.
 *
 * The groups depend on the documents and the options only, not on threads or memory.
 *
 * An archive is one more source of postings and of texts. Its documents have the numbers from the
 * number of read documents on, and rank before all others:
 *
 *     sh_engine_new(); sh_engine_add() for all documents of the input
 *     sh_engine_postings()    passes the postings of the input, sorted, to look them up
 *     sh_engine_leave_out()   for documents that the archive knows
 *     sh_engine_add_stored()  the archived documents that have one of these keys
 *     sh_engine_add_postings() their postings of these keys
 *     sh_engine_run(); opts.stored() gives their tokens
 *     sh_engine_set_keeper()  for documents that were left out
 *     sh_engine_keeper()      may be the number of an archived document
 *     sh_engine_postings()    again, to store the postings of the documents that stay
 *
 * Memory, in bytes: 40 a document with ranks, 28 without; 10 a key; 12 a posting of a bucket of at
 * least two documents. Arrays lie in opts.tables, keys in a file beyond opts.memory. */
#ifndef SH_MATCH_ENGINE_H
#define SH_MATCH_ENGINE_H

#include "match/comparer.h"
#include "match/keys.h"
#include "match/posting.h"

struct sh_engine_stats {
	uint64_t documents, without_tokens;
	uint64_t copies;   /* documents with the tokens of a better one */
	uint64_t compared; /* pairs whose texts were compared */
	uint64_t similar;
	uint64_t cut; /* keys of more documents than the bound lets meet */
};

/* A pair that was compared. */
struct sh_engine_pair {
	uint32_t a, b; /* documents, a < b */
	struct sh_verdict verdict;
};

struct sh_engine_opts {
	const struct sh_corpus *corpus; /* of the input; borrowed */
	struct sh_key_rules rules;      /* complete; the thresholds decide the measures */
	struct sh_token_opts token;
	/* For comparison: form and key of the hashes. token and ngrams follow from the above. */
	struct sh_feature_opts features;
	bool single;              /* groups are chains, not stars */
	bool ranks, protects;     /* documents may have ranks; some may be protected */
	struct sh_tables *tables; /* borrowed; NULL: all arrays in memory */
	size_t memory;            /* bytes: for postings, for sorting and for texts, a third each */
	unsigned jobs;            /* threads, at least 1 */
	/* See struct sh_comparer_opts. NULL: there is no archive. */
	int (*stored)(void *arg, unsigned thread, uint32_t document, struct sh_feature_set *set,
	    struct sh_error *err);
	void *stored_arg;
	/* Receives all pairs that meet, with exact similarities, one at a time and in any order.
	 * NULL: only pairs that decide are compared. */
	void (*seen)(void *arg, const struct sh_engine_pair *pair);
	/* Receives the number of decided documents from time to time, in any thread; may be
	 * NULL. */
	void (*progress)(void *arg, uint64_t documents);
	void *arg; /* of seen() and progress() */
};

struct sh_engine;

/* Copies the options. Returns NULL on failure. */
struct sh_engine *sh_engine_new(const struct sh_engine_opts *opts, struct sh_error *err);
void sh_engine_delete(struct sh_engine *m);

/* ---- documents ---- */

/* Describes documents. Each thread has one. The engine must outlive it. */
struct sh_describer;

struct sh_describer *sh_describer_new(const struct sh_engine *m, struct sh_error *err);
void sh_describer_delete(struct sh_describer *d);

struct sh_description {
	uint16_t tokens;   /* UINT16_MAX: at least this number; 0: the document is in no pair */
	uint16_t features; /* different features; 0: not known */
};

/* Describes a document. Appends its postings to *postings, as struct sh_doc_key of the given
 * document number. Adds the number of ill-formed sequences in the text to *ill_formed. */
int sh_engine_describe(struct sh_describer *d, struct sh_slice text, uint32_t document,
    struct sh_description *about, struct sh_buf *postings, uint64_t *ill_formed,
    struct sh_error *err);

/* Adds the next n documents. The description of document i begins `stride` bytes times i after
 * described. posting: the n_postings of these documents, as numbers 0 .. n - 1. Copies all.
 * SH_ERR_RANGE: 2^31 - 1 documents or more. */
int sh_engine_add(struct sh_engine *m, size_t n, const struct sh_description *described,
    size_t stride, const struct sh_doc_key *posting, size_t n_postings, struct sh_error *err);

/* Sets the rank of a document, 0 until then: needs opts.ranks. */
void sh_engine_set_rank(struct sh_engine *m, uint32_t document, uint64_t rank);
/* Protects a document: it is never dropped. Needs opts.protects. */
void sh_engine_protect(struct sh_engine *m, uint32_t document);
bool sh_engine_is_protected(const struct sh_engine *m, uint32_t document);
/* Returns whether a document of the input has tokens. Without tokens it is in no pair. */
bool sh_engine_has_tokens(const struct sh_engine *m, uint32_t document);

/* ---- an archive ---- */

/* Receives the next n postings, in the order of match/posting.h. A bucket comes in one call. */
typedef int sh_engine_postings_fn(
    void *arg, const struct sh_doc_key *posting, size_t n, struct sh_error *err);

/* Passes the postings of all documents that were added and not left out, in one thread. After the
 * run only when opts.stored is set. */
int sh_engine_postings(
    struct sh_engine *m, sh_engine_postings_fn *fn, void *arg, struct sh_error *err);

/* Leaves a document of the input out of all pairs. */
void sh_engine_leave_out(struct sh_engine *m, uint32_t document);

/* Adds n stored documents, the best first, after the last document. Their numbers follow the
 * numbers of the input. */
int sh_engine_add_stored(struct sh_engine *m, size_t n, struct sh_error *err);
/* Adds postings of stored documents, by their numbers. */
int sh_engine_add_postings(
    struct sh_engine *m, const struct sh_doc_key *posting, size_t n, struct sh_error *err);

/* ---- the run ---- */

/* Finds the groups. Call it once, after the last document. */
int sh_engine_run(struct sh_engine *m, struct sh_error *err);

/* Sets the keeper of a document that was left out, and the verdict on both. Without it the document
 * stays. */
void sh_engine_set_keeper(
    struct sh_engine *m, uint32_t document, uint32_t keeper, const struct sh_verdict *v);

/* Returns the document that stays for this one; the document itself when it stays. */
uint32_t sh_engine_keeper(const struct sh_engine *m, uint32_t document);

/* Returns the verdict on a dropped document and its keeper. */
struct sh_verdict sh_engine_verdict(const struct sh_engine *m, uint32_t document);

/* Returns the counts of the run. The engine owns them. */
const struct sh_engine_stats *sh_engine_stats(const struct sh_engine *m);

#endif
