/* Which documents are near-duplicates of which, and who stays: from fingerprints to groups.
 *
 * Documents are numbers of a corpus. The way:
 *   1. documents of one fingerprint whose sets of features are the same become one vertex;
 *   2. vertices within distance k are joined (join/join.h), exactly;
 *   3. vertices of few features are joined by the features themselves (group/smalljoin.h),
 *      for too little is left of a short text's fingerprint after an edit;
 *   4. pairs found are verified by their texts (group/verify.h): those of a Jaccard
 *      similarity below the threshold are none;
 *   5. groups are made (group/group.h), the best document of each its keeper.
 *
 * Of the pairs only those are verified that a group hangs on: of stars those with a keeper, of
 * chains those that are not in one yet. So documents that are all alike cost no more than others;
 * those that are all near each other and not alike do, and all do when `seen` wants to see them.
 *
 * The result depends on the documents and the options alone, not on threads or memory; but for
 * how many pairs of chains were compared, and were similar.
 *
 * Memory: tables of some 35 bytes a document, 8 more under a rank, 16 a distinct fingerprint, 32 a
 * pair within k, of which at most eight a document and 65,536 are held at a time, 60 a feature of
 * documents of few; what does not fit in opts.tables lies in files. Fingerprints are joined in
 * parts that fit in opts.memory. The verifiers have their own share, and a batch of candidates
 * takes at most 10 MiB. */
#ifndef SH_GROUP_DEDUP_H
#define SH_GROUP_DEDUP_H

#include "group/verify.h"

struct sh_dedup_stats {
	uint64_t documents, featureless;
	uint64_t identical; /* documents whose features are those of an earlier one */
	uint64_t compared;  /* pairs of vertices that were verified */
	uint64_t similar;   /* of them, those that reach the threshold */
	uint64_t small;     /* vertices of few features */
};

/* A pair that was verified, passed or not. */
struct sh_seen_pair {
	uint32_t a, b; /* documents, a < b */
	unsigned distance;
	unsigned similarity; /* in ten thousandths, rounded */
};

struct sh_dedup_opts {
	unsigned bits, k;
	bool verify;               /* without it, what is within k is a duplicate */
	uint64_t threshold;        /* in millionths; under the measure any that of Jaccard */
	uint64_t edit_threshold;   /* under the measure any */
	unsigned few;              /* documents of fewer features are joined by them; 0: none are */
	bool single;               /* groups are chains, not stars */
	struct sh_verify_opts how; /* its memory is shared by the workers */
	struct sh_tables *tables;  /* NULL: all in memory */
	size_t memory;             /* of joins, shared by the workers */
	size_t pairs;              /* held at a time, beside 8 a document; 0: 65,536 */
	unsigned jobs;
	/* Told of each pair that was found, in any order, by one thread; may be NULL. */
	void (*seen)(void *arg, const struct sh_seen_pair *pair);
	/* Told now and then how far it is; may be NULL. */
	void (*progress)(void *arg, const struct sh_dedup_stats *stats);
	void *arg;
};

/* The number of features up to which sh_dedup_add() needs it exact: a document of more cannot be
 * a duplicate of one that has fewer than opts->few. */
size_t sh_dedup_few_up_to(const struct sh_dedup_opts *opts);

struct sh_dedup;

struct sh_dedup *sh_dedup_new(const struct sh_dedup_opts *opts, struct sh_error *err);
void sh_dedup_delete(struct sh_dedup *d);

/* The next document. Of a group the least rank stays, of equal ones the lower number; before
 * that, protected ones, which always stay. features: how many distinct ones it has; without
 * any it makes no pair. */
int sh_dedup_add(struct sh_dedup *d, const uint64_t *fp, size_t features, uint64_t rank,
    bool is_protected, struct sh_error *err);

/* Changes the rank of a document, before the run. Possible only when the first document was added with a rank
 * other than 0. */
void sh_dedup_set_rank(struct sh_dedup *d, uint32_t document, uint64_t rank);

/* After each sh_dedup_add(), for candidates by shared features: the sampled features of the document,
 * distinct (fp/bottom.h). Without a call there are no such candidates. */
int sh_dedup_sample(struct sh_dedup *d, const uint64_t *hash, size_t n, struct sh_error *err);

/* A document that was added makes no pair, and stays: others know what becomes of it. */
void sh_dedup_leave_out(struct sh_dedup *d, uint32_t document);

const uint64_t *sh_dedup_fingerprint(const struct sh_dedup *d, uint32_t document);
bool sh_dedup_is_protected(const struct sh_dedup *d, uint32_t document);

/* Once, after the last document. */
int sh_dedup_run(struct sh_dedup *d, struct sh_error *err);

/* By document, valid after the run: who stays for it, itself if it stays. */
const uint32_t *sh_dedup_keepers(const struct sh_dedup *d);

const struct sh_dedup_stats *sh_dedup_stats(const struct sh_dedup *d);

/* Distance and similarity of two documents; s is left alone when nothing is verified. */
int sh_dedup_compare(struct sh_dedup *d, uint32_t a, uint32_t b, unsigned *distance,
    struct sh_similarity *s, struct sh_error *err);

#endif
