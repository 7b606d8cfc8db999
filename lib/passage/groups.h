/* Postings of seeds, sorted into the groups that share a key, and from there back to their documents. */
#ifndef SH_PASSAGE_GROUPS_H
#define SH_PASSAGE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A seed stands in this document at this token. */
struct sh_posting {
	union {
		uint64_t key;
		struct {
			uint32_t first; /* posting of its group */
			uint32_t run;   /* posting of its group that is of its document */
		} in;                   /* after sh_groups_make() */
	} of;
	uint32_t document, token;
};

/* Sort by key, document and token. Faster when they come by document and token. */
int sh_postings_sort(struct sh_posting *p, size_t n, unsigned jobs, struct sh_error *err);

struct sh_groups {
	struct sh_posting *posting; /* borrowed; by group, document, token */
	size_t n;
	uint32_t *order; /* postings by document and token */
	uint64_t *at;    /* of each document: its first place in `order`; at[documents]: the end */
	size_t documents;
};

/* Keep the groups that postings of two documents share, of sorted postings, which it moves. */
int sh_groups_make(
    struct sh_groups *g, struct sh_posting *p, size_t n, size_t documents, struct sh_error *err);
void sh_groups_free(struct sh_groups *g);

/* Whether the group of posting i has more than `bound` postings. */
static inline bool sh_group_exceeds(const struct sh_groups *g, uint32_t i, size_t bound)
{
	size_t first = g->posting[i].of.in.first;

	return first + bound < g->n && g->posting[first + bound].of.in.first == first;
}

/* Behind the last posting of the group that begins with posting `first`. */
size_t sh_group_end(const struct sh_groups *g, size_t first);

/* How many groups have more than `bound` postings. */
uint64_t sh_groups_exceeding(const struct sh_groups *g, size_t bound);

/* Sort numbers, ascending; tmp has room for n. */
void sh_sort_numbers(uint64_t *a, uint64_t *tmp, size_t n);

#endif
