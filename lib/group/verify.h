/* Computes the exact similarity of pairs of documents, in any order, in bounded memory.
 *
 * A verifier analyses documents of a corpus when they are needed, and caches what it needs of the
 * most recent ones. So it analyses a document again that is needed again much later. A verifier
 * serves one thread. Verifiers may share a corpus. */
#ifndef SH_GROUP_VERIFY_H
#define SH_GROUP_VERIFY_H

#include "fp/features.h"
#include "match/measure.h"
#include "stream/corpus.h"
#include "text/ngram.h"
#include "weight/weight.h"

struct sh_verify_opts {
	const struct sh_corpus *corpus;
	/* With corpus NULL: computes the set of a document, valid until the next call. The
	 * caller chooses the numbers. */
	int (*set_of)(
	    void *arg, uint64_t document, struct sh_feature_set *set, struct sh_error *err);
	void *arg;
	struct sh_token_opts token;
	struct sh_ngrams ngrams;
	const struct sh_measure *measure;
	const struct sh_scheme *scheme; /* for measures that weigh: set, tf or log */
	/* Threshold of the similarity, in millionths; for the measure any, that of Jaccard. Edit
	 * and Jaccard similarities below it may be reported as 0, unless `exact` is set:
	 * comparisons end early. */
	uint64_t threshold;
	uint64_t edit_threshold; /* for the measure any: threshold of the edit similarity */
	bool exact;
	bool decide; /* only s->reaches matters: a similarity may be reported too small */
	bool strict; /* ill-formed UTF-8 is SH_ERR_RECORD */
	/* Bytes of the cache. It keeps at least three blocks of 128 KiB. A larger entry has its own
	 * block. */
	size_t memory;
};

struct sh_verifier;

/* Returns NULL on failure. SH_ERR_PARAM: the measure cannot use the scheme. */
struct sh_verifier *sh_verifier_new(const struct sh_verify_opts *opts, struct sh_error *err);
void sh_verifier_delete(struct sh_verifier *v);

/* Computes the similarity of two documents, by number. s->reaches: it is at least the threshold.
 * For the measure any, *s is the edit similarity when only that one reaches its threshold, and
 * otherwise the Jaccard similarity. */
int sh_verify(
    struct sh_verifier *v, uint64_t x, uint64_t y, struct sh_similarity *s, struct sh_error *err);

/* Sets *same to whether the similarity of two documents with features is 1. For measures that do
 * not weigh. */
int sh_verify_same(struct sh_verifier *v, uint64_t x, uint64_t y, bool *same, struct sh_error *err);

/* Makes all similarities exact from now on. */
void sh_verifier_be_exact(struct sh_verifier *v);

/* Computes the similarity of two documents, by id. SH_ERR_RECORD: an id belongs to no document. */
int sh_verify_ids(struct sh_verifier *v, struct sh_slice id1, struct sh_slice id2,
    struct sh_similarity *s, struct sh_error *err);

/* Sets *digest to a number that is equal for two documents when their similarity is 1. Other
 * documents have different digests, except by chance. Compare only digests of one verifier. */
int sh_verifier_digest(
    struct sh_verifier *v, uint64_t document, uint64_t *digest, struct sh_error *err);

/* Sets *set to the feature set of a document, with the tokens in order, too, when the measure is
 * edit or any. Sets of all verifiers of one corpus can be compared. The set is not cached, and
 * valid until the next call. */
int sh_verifier_set(
    struct sh_verifier *v, uint64_t document, struct sh_feature_set *set, struct sh_error *err);

/* Returns the number of documents analysed so far. */
uint64_t sh_verifier_made(const struct sh_verifier *v);

#endif
