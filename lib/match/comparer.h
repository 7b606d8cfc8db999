/* SPDX-License-Identifier: MIT */
/* Compares the texts of two documents, exactly.
 *
 *     jaccard  |A and B| / |A or B| of the sets of n-grams
 *     edit     matched tokens of the best alignment / tokens of the longer text: match/align.h
 *     others   match/measure.h
 *
 * Two documents are similar when one of the measures reaches its threshold. For two measures the
 * verdict has the Jaccard similarity where this one reaches its threshold, and otherwise the edit
 * similarity.
 *
 * A comparer tokenises documents when they are needed. Their tokens and sets stay in an arena,
 * which is emptied when it is full. One thread at a time may use a comparer. */
#ifndef SH_MATCH_COMPARER_H
#define SH_MATCH_COMPARER_H

#include "fp/features.h"
#include "match/measure.h"
#include "stream/corpus.h"
#include "weight/weight.h"

enum { SH_VERDICT_JACCARD, SH_VERDICT_EDIT, SH_VERDICT_OTHER };

struct sh_verdict {
	bool similar;        /* a measure reaches its threshold */
	unsigned measure;    /* SH_VERDICT_ */
	unsigned similarity; /* in ten thousandths, rounded */
};

struct sh_comparer_opts {
	/* Thresholds in millionths. Without `measure`, 0 says that the measure makes no match. */
	uint64_t jaccard, edit;
	/* NULL: the thresholds decide. For a measure of sets, `jaccard` is its threshold. */
	const struct sh_measure *measure;
	const struct sh_scheme *scheme; /* for measures that weigh: set, tf or log */
	bool ids;                       /* for sh_comparer_find() */
	bool strict;                    /* ill-formed UTF-8 is SH_ERR_RECORD */
	/* token, ngrams, form and key; the comparer sets `only_order` */
	struct sh_feature_opts features;
	const struct sh_corpus *corpus; /* of the documents 0 .. corpus->n - 1 */
	/* Other documents: sets set->ordered to the tokens of a document, and hash to its set when
	 * the set does not follow from the tokens (sh_features_follow()). Hashes are made by
	 * opts.features. The result is valid until the next call of this thread. Several threads
	 * call it. May be NULL. */
	int (*stored)(void *arg, unsigned thread, uint32_t document, struct sh_feature_set *set,
	    struct sh_error *err);
	void *arg;
	unsigned thread;
	size_t arena; /* bytes; a pair of larger texts gets more */
};

struct sh_comparer;

/* Returns NULL on failure. SH_ERR_PARAM: the measure cannot use the scheme. */
struct sh_comparer *sh_comparer_new(const struct sh_comparer_opts *opts, struct sh_error *err);
/* NULL: does nothing. */
void sh_comparer_delete(struct sh_comparer *m);

/* Compares two documents. exact: also a similarity below the threshold is exact; else it is 0 where
 * a part of the texts shows that no threshold is reached. */
int sh_comparer_compare(struct sh_comparer *m, uint32_t x, uint32_t y, bool exact,
    struct sh_verdict *verdict, struct sh_error *err);

/* Sets *document to the first document of the corpus with this id. Needs opts.ids, and an index of
 * the corpus. SH_ERR_RECORD: the id belongs to no document. */
int sh_comparer_find(
    struct sh_comparer *m, struct sh_slice id, uint32_t *document, struct sh_error *err);

/* Sets *same to whether two documents have the same tokens in the same order. Without tokens they
 * have not. */
int sh_comparer_same(
    struct sh_comparer *m, uint32_t x, uint32_t y, bool *same, struct sh_error *err);

/* Returns whether the numbers of tokens, or of features where both are known (0: unknown), already
 * show that two documents are not similar. */
bool sh_comparer_excludes(const struct sh_comparer_opts *opts, size_t tokens1, size_t tokens2,
    size_t features1, size_t features2);

/* Returns the name of a verdict's measure, jaccard or edit. */
const char *sh_verdict_measure(unsigned measure);

#endif
