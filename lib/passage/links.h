/* SPDX-License-Identifier: MIT */
/* Selects the documents with which a document is compared: hits by the groups of its seeds.
 *
 * A group of at most `bound` postings gives hits with all earlier documents. A larger group is
 * starred: it gives hits with its first posting and with the last one before this document's. So
 * the number of hits is linear in the input. */
#ifndef SH_PASSAGE_LINKS_H
#define SH_PASSAGE_LINKS_H

#include "passage/match.h"

/* See sh_links.more. */
enum { SH_LINKS_MORE = 8, SH_LINKS_FAILED = 16 };

struct sh_links {
	const struct sh_texts *texts;
	const struct sh_groups *groups;
	size_t bound; /* 0: every group is starred */
	/* Tokens of a sufficient exact match. A starred seed is skipped within a sufficient match
	 * of another starred seed. */
	uint32_t enough;
	uint32_t longest; /* tokens of the longest seed */
	/* When neither match of a starred seed is sufficient, SH_LINKS_MORE further postings are
	 * tried, evenly spaced. A text of few distinct tokens has every short sequence of them:
	 * each posting gives a match to extend, and none gives a passage. So after SH_LINKS_FAILED
	 * failures in a row, no more are tried in the document. */
	bool more;
};

/* Begins a document, and passes its hits to the matcher. */
int sh_links_hits(
    const struct sh_links *l, uint32_t document, struct sh_matcher *m, struct sh_error *err);

#endif
