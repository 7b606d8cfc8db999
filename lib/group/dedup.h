/* Finds groups of near-duplicates from fingerprints, and the keeper of each group.
 *
 * Documents are numbers of a corpus. The steps:
 * 1. Documents with equal fingerprints and equal feature sets become one vertex.
 * 2. Vertices within distance k are found, exactly (join/join.h). With keys, vertices that share a
 * key are found instead (join/buckets.h): time grows with the documents, not with their square.
 * 3. Vertices of few features are joined by their features (group/smalljoin.h): an edit changes too
 * many bits of a short text's fingerprint. With keys only while there are at most 2^20 of them.
 * 4. Candidates are verified by their texts (group/verify.h). A pair whose similarity is below the
 * threshold is dropped.
 * 5. Groups are made (group/group.h). The best document of a group is its keeper.
 *
 * Only pairs that decide about a group are verified: for stars, pairs with a keeper; for chains,
 * pairs of different chains. So documents that are all similar cost no more than other documents.
 * Documents that are within k of each other but not similar cost more. With `seen` all candidates
 * are verified. With keys, and with `seen` or chains, a vertex meets at most 64 vertices of a
 * bucket.
 *
 * The groups depend only on the documents and the options, not on threads or memory. With chains,
 * the numbers of compared and of similar pairs may differ.
 *
 * Memory, in bytes: about 35 a document, 8 more with ranks, 136 more with a bag of tokens
 * (fp/bag.h); 16 a distinct fingerprint; 32 a pair within k (at most 8 pairs a document, plus
 * 65,536, are held at a time); 60 a feature of short documents; 5 a key. Tables that exceed
 * opts.tables lie in files. Fingerprints are joined in parts that fit in opts.memory. The verifiers
 * have their own memory. A batch of candidates needs at most opts.memory / 8 and at most 10 MiB, or
 * 160 MiB when documents are read from files (sh_corpus.reads). */
#ifndef SH_GROUP_DEDUP_H
#define SH_GROUP_DEDUP_H

#include "fp/bag.h"
#include "group/verify.h"
#include "join/buckets.h"

struct sh_dedup_stats {
	uint64_t documents, featureless;
	uint64_t identical; /* documents with the fingerprint and features of a better one */
	uint64_t compared;  /* pairs of vertices that were verified */
	uint64_t similar;   /* verified pairs that reach the threshold */
	uint64_t small;     /* vertices of few features */
};

/* A pair that was verified, whether or not it reached the threshold. */
struct sh_seen_pair {
	uint32_t a, b; /* documents, a < b */
	unsigned distance;
	unsigned similarity; /* in ten thousandths, rounded */
};

struct sh_dedup_opts {
	unsigned bits, k;
	bool verify;             /* false: each pair within k is a duplicate */
	uint64_t threshold;      /* in millionths; for the measure any, that of Jaccard */
	uint64_t edit_threshold; /* in millionths; for the measure any, that of edit */
	/* documents of fewer features are joined by their features; 0: none are */
	unsigned few;
	bool single;               /* groups are chains, not stars */
	struct sh_verify_opts how; /* how.memory is for all workers together */
	struct sh_tables *tables;  /* borrowed; NULL: all arrays in memory */
	size_t memory;             /* bytes for joins, for all workers together; 0: no limit */
	/* pairs held at a time, in addition to 8 a document; 0: 65,536 */
	size_t pairs;
	unsigned jobs; /* threads, at least 1 */
	/* Receives each verified pair, in any order, in the calling thread; may be NULL. */
	void (*seen)(void *arg, const struct sh_seen_pair *pair);
	/* Receives the counts from time to time; may be NULL. */
	void (*progress)(void *arg, const struct sh_dedup_stats *stats);
	void *arg;
};

/* Returns the largest number of features that sh_dedup_add() needs exactly. A document with more
 * features cannot be a duplicate of one with fewer than opts->few. */
size_t sh_dedup_few_up_to(const struct sh_dedup_opts *opts);

struct sh_dedup;

struct sh_dedup *sh_dedup_new(const struct sh_dedup_opts *opts, struct sh_error *err);
void sh_dedup_delete(struct sh_dedup *d);

/* Documents to be added: arrays of n elements. A protected document always stays. The keeper of a
 * group is a protected document; without one, the document of least rank; of equal ranks, the one
 * of lowest number. */
struct sh_dedup_block {
	size_t n;
	const uint64_t *rank;     /* NULL: all are 0 */
	const bool *is_protected; /* NULL: none is */
	const uint64_t *fp;       /* SH_FP_WORDS(opts.bits) words each; NULL: not described */
	const uint16_t *features; /* numbers of distinct features, with fp: sh_dedup_features() */
};

/* Adds the next documents: copies the block. */
int sh_dedup_add(struct sh_dedup *d, const struct sh_dedup_block *b, struct sh_error *err);

/* Returns a number of features as a block holds it. */
static inline uint16_t sh_dedup_features(uint64_t n)
{
	return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

/* Sets the fingerprint and the number of distinct features of a document. A document without
 * features, or not described, is in no pair. */
void sh_dedup_describe(struct sh_dedup *d, uint32_t document, const uint64_t *fp, size_t features);

/* Changes the rank of a document, before the run. Possible only when a block had ranks. */
void sh_dedup_set_rank(struct sh_dedup *d, uint32_t document, uint64_t rank);

/* Adds the sampled features of the next document (fp/bottom.h), distinct, for candidates by shared
 * features. Call it for each document, or never: then features make no candidates. bag: the tokens
 * of the document, all hashed in one way, with sh_dedup_needs_bags(); else NULL. Bags exclude most
 * candidates before their texts are read. Copies the hashes and the bag. */
int sh_dedup_sample(struct sh_dedup *d, const uint64_t *hash, size_t n, const struct sh_bag *bag,
    struct sh_error *err);
/* Returns whether sh_dedup_sample() needs bags: the measure is edit, or it is any with a Jaccard
 * threshold of at least SH_REACH_LOWEST (fp/reach.h). */
bool sh_dedup_needs_bags(const struct sh_dedup_opts *opts);

/* Candidates share a key, in place of distance and sampled features. A document has n keys. Call it
 * before the first sh_dedup_add(). */
int sh_dedup_use_keys(struct sh_dedup *d, unsigned n, struct sh_error *err);
/* Sets document i of a block of keys from its keys (fp/minkeys.h); NULL when it has no features.
 * Several threads may call it, each with its own block. */
void sh_dedup_pack_keys(
    const struct sh_dedup *d, const uint64_t *key, const struct sh_key_block *to, size_t i);
/* Adds the keys of the next n documents: copies them. digest: a hash of each text under a secret
 * key. Documents of one fingerprint and one digest are taken for equal without reading them. */
int sh_dedup_add_keys(struct sh_dedup *d, const uint64_t *digest, const struct sh_key_block *key,
    size_t n, struct sh_error *err);

/* Does a part of the work of adding keys, if there is any. Threads that make keys call it from time
 * to time, also while another thread adds. */
int sh_dedup_help(struct sh_dedup *d, struct sh_error *err);

/* Leaves a document out of all pairs. It is its own keeper; the caller decides about it. */
void sh_dedup_leave_out(struct sh_dedup *d, uint32_t document);

/* Returns the fingerprint of a document, SH_FP_WORDS(opts.bits) words; zeros before
 * sh_dedup_describe(). Valid until the next sh_dedup_add(). */
const uint64_t *sh_dedup_fingerprint(const struct sh_dedup *d, uint32_t document);
bool sh_dedup_is_protected(const struct sh_dedup *d, uint32_t document);

/* Finds the groups. Call it once, after the last document. Returns 0 or -1. */
int sh_dedup_run(struct sh_dedup *d, struct sh_error *err);

/* Returns the keeper of each document, by document, after the run. A keeper's own entry is itself.
 * The array belongs to d. */
const uint32_t *sh_dedup_keepers(const struct sh_dedup *d);

const struct sh_dedup_stats *sh_dedup_stats(const struct sh_dedup *d);

/* Computes the distance, in bits, and the exact similarity of two documents. Without opts.verify it
 * leaves *s as it is. Threads may call it after the run, each with a number below opts.jobs of its
 * own. */
int sh_dedup_compare(struct sh_dedup *d, unsigned thread, uint32_t a, uint32_t b,
    unsigned *distance, struct sh_similarity *s, struct sh_error *err);

#endif
