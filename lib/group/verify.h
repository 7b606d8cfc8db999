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
	/* The least similarity asked for, in millionths. Below it edit and Jaccard similarities may come
	 * as 0, unless `exact`: comparisons end early. Under the measure any: the least Jaccard similarity. */
	uint64_t threshold;
	uint64_t edit_threshold; /* under the measure any: the least edit similarity */
	bool exact;
	bool strict;   /* ill-formed UTF-8 is SH_ERR_RECORD */
	size_t memory; /* bytes of sets to keep; no less than 384 KiB, or three documents */
};

struct sh_verifier;

/* NULL with *err, among others when the measure weighs, and not by this scheme. */
struct sh_verifier *sh_verifier_new(const struct sh_verify_opts *opts, struct sh_error *err);
void sh_verifier_delete(struct sh_verifier *v);

/* By numbers of documents. s->reaches says whether the similarity is at least the threshold. Under
 * the measure any, *s is the Jaccard similarity if that reaches its threshold, otherwise the edit
 * similarity if that reaches its own, otherwise the Jaccard similarity. */
int sh_verify(
    struct sh_verifier *v, uint32_t x, uint32_t y, struct sh_similarity *s, struct sh_error *err);

/* From now on similarities below the threshold are exact, too. */
void sh_verifier_be_exact(struct sh_verifier *v);

/* By ids. SH_ERR_RECORD when no document has one of them. */
int sh_verify_ids(struct sh_verifier *v, struct sh_slice id1, struct sh_slice id2,
    struct sh_similarity *s, struct sh_error *err);

/* The same number for two documents whose similarity is 1, and with one verifier for no others. */
int sh_verifier_digest(
    struct sh_verifier *v, uint32_t document, uint64_t *digest, struct sh_error *err);

/* The makers of the verifier's sets of features, and of its sequences of tokens, for use on the same
 * thread; NULL when its measure needs none. */
struct sh_features *sh_verifier_features(struct sh_verifier *v);
struct sh_features *sh_verifier_tokens(struct sh_verifier *v);

/* The number of sets of features made so far, which take most of the time. */
uint64_t sh_verifier_made(const struct sh_verifier *v);

#endif
