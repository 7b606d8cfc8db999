/* Queries that are looked up: a hash table of all their k-grams, behind a filter that fits the cache. */
#ifndef SH_PASSAGE_INDEX_H
#define SH_PASSAGE_INDEX_H

#include "passage/match.h"

struct sh_index {
	const struct sh_texts *texts; /* borrowed */
	struct sh_posting *posting;   /* of the texts; by key, document, token */
	size_t n, bound;
	uint64_t *filter;
	uint32_t *slot; /* posting + 1 that begins a group, by its key; at most half are used */
	unsigned filter_bits, slot_bits;
	uint32_t enough, longest; /* tokens of a match, and of a k-gram; set by the caller */
	uint64_t
	    exceeding; /* k-grams with more than `bound` postings, of which the first are looked at */
};

/* Sorts the postings of the texts. */
int sh_index_make(
    struct sh_index *x, struct sh_texts *texts, size_t bound, unsigned jobs, struct sh_error *err);
void sh_index_free(struct sh_index *x);

/* The k-grams of a document that pass the filter, by their first tokens, into room for n_grams + 1. */
size_t sh_index_filter(const struct sh_index *x, const struct sh_seeds *seeds, uint32_t *room);

/* The hits of these n k-grams to the matcher, which has begun the document. Of a k-gram with more than `bound`
 * postings the first are taken, and none inside an exact match of `enough` tokens that such a k-gram led to. Of a
 * text in which all k-grams are frequent fewer are taken, so that time and memory stay linear. */
int sh_index_hits(const struct sh_index *x, const struct sh_seeds *seeds, const uint32_t *room,
    size_t n, struct sh_matcher *m, struct sh_error *err);

/* For sh_matcher_begin(), with x as arg. */
struct sh_side sh_index_side(const void *x, uint32_t document);

#endif
