/* Selects the documents with which a document is compared: hits by the groups of its seeds.
 *
 * A group of at most `bound` postings gives hits with all earlier documents. A larger group is starred: it
 * gives hits with its first posting and with the last one before this document's. So the number of hits is
 * linear in the input. */
#ifndef SH_PASSAGE_LINKS_H
#define SH_PASSAGE_LINKS_H

#include "passage/match.h"

enum { SH_LINKS_MORE = 8, SH_LINKS_FAILED = 16 };

struct sh_links {
	const struct sh_texts *texts;
	const struct sh_groups *groups;
	size_t bound; /* 0: every group is starred */
	/* A starred seed is skipped within an exact match of at least this number of tokens that another
	 * starred seed found. */
	uint32_t enough;
	uint32_t longest; /* tokens of the longest seed */
	/* Of a starred group, try SH_LINKS_MORE further postings when neither match is long enough; no longer
	 * in a document in which that failed for SH_LINKS_FAILED seeds in a row. */
	bool more;
};

/* Begins a document, and passes its hits to the matcher. */
int sh_links_hits(
    const struct sh_links *l, uint32_t document, struct sh_matcher *m, struct sh_error *err);

/* Returns the tokens of a document. It has the type that sh_matcher_begin() needs, with l as arg. */
struct sh_side sh_links_side(const void *l, uint32_t document);

#endif
