/* Computes the exact similarity of pairs of documents, in any order, in bounded memory.
 *
 * A verifier reads documents of a corpus when they are needed, and keeps the feature sets that it
 * made last. A verifier serves one thread. Verifiers may share a corpus. */
#ifndef SH_GROUP_VERIFY_H
#define SH_GROUP_VERIFY_H

#include "group/measure.h"
#include "stream/corpus.h"
#include "text/ngram.h"
#include "weight/weight.h"

struct sh_verify_opts {
	const struct sh_corpus *corpus;
	struct sh_token_opts token;
	struct sh_ngrams ngrams;
	const struct sh_measure *measure;
	const struct sh_scheme *scheme; /* for measures that weigh: set, tf or log */
	/* Threshold of the similarity, in millionths; of the measure any: of the Jaccard similarity.
	 * Edit and Jaccard similarities below it may be given as 0, unless `exact` is set:
	 * comparisons end early. */
	uint64_t threshold;
	uint64_t edit_threshold; /* the measure any: threshold of the edit similarity */
	bool exact;
	bool strict;   /* ill-formed UTF-8 is SH_ERR_RECORD */
	size_t memory; /* bytes of sets to keep; at least 384 KiB or three documents are kept */
};

struct sh_verifier;

/* Returns NULL on failure, also when the measure cannot use the scheme. */
struct sh_verifier *sh_verifier_new(const struct sh_verify_opts *opts, struct sh_error *err);
void sh_verifier_delete(struct sh_verifier *v);

/* Computes the similarity of two documents, by number. s->reaches: it is at least the threshold. Of
 * the measure any, *s is the Jaccard similarity, unless only the edit similarity reaches its
 * threshold: *s is then the edit similarity. */
int sh_verify(
    struct sh_verifier *v, uint32_t x, uint32_t y, struct sh_similarity *s, struct sh_error *err);

/* Makes similarities below the threshold exact from now on. */
void sh_verifier_be_exact(struct sh_verifier *v);

/* Computes the similarity of two documents, by id. SH_ERR_RECORD: an id belongs to no document. */
int sh_verify_ids(struct sh_verifier *v, struct sh_slice id1, struct sh_slice id2,
    struct sh_similarity *s, struct sh_error *err);

/* Sets *digest to a number that is equal for two documents when their similarity is 1. Other
 * documents have different digests, except by chance. Digests of one verifier only can be compared. */
int sh_verifier_digest(
    struct sh_verifier *v, uint32_t document, uint64_t *digest, struct sh_error *err);

/* Return the objects that make the verifier's feature sets and its sequences of tokens, for use in
 * the same thread. NULL: the measure needs none. */
struct sh_features *sh_verifier_features(struct sh_verifier *v);
struct sh_features *sh_verifier_tokens(struct sh_verifier *v);

/* Returns the number of feature sets made so far. Making them takes most of the time. */
uint64_t sh_verifier_made(const struct sh_verifier *v);

#endif
