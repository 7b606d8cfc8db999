/* The exact similarity of documents, two at a time, in any order, in bounded memory.
 *
 * A verifier reads documents of a corpus as they are asked for and keeps the sets of features
 * that were made last. One serves one thread; many may share a corpus. */
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
	bool strict;                    /* ill-formed UTF-8 is SH_ERR_RECORD */
	size_t memory; /* bytes of sets to keep; no less than 384 KiB, or three documents */
};

struct sh_verifier;

/* NULL with *err, among others when the measure weighs, and not by this scheme. */
struct sh_verifier *sh_verifier_new(const struct sh_verify_opts *opts, struct sh_error *err);
void sh_verifier_delete(struct sh_verifier *v);

/* By numbers of documents. */
int sh_verify(
    struct sh_verifier *v, uint32_t x, uint32_t y, struct sh_similarity *s, struct sh_error *err);

/* By ids. SH_ERR_RECORD when no document has one of them. */
int sh_verify_ids(struct sh_verifier *v, struct sh_slice id1, struct sh_slice id2,
    struct sh_similarity *s, struct sh_error *err);

/* Of a document's set of features: the same for two that have the same set, of one verifier. */
int sh_verifier_digest(
    struct sh_verifier *v, uint32_t document, uint64_t *digest, struct sh_error *err);

/* What it makes sets with, for others on the same thread. */
struct sh_features *sh_verifier_features(struct sh_verifier *v);

/* Sets of features made so far: what the time goes to. */
uint64_t sh_verifier_made(const struct sh_verifier *v);

#endif
