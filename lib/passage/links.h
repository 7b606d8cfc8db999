/* Which documents a document is compared with: hits by the groups of its seeds.
 *
 * Of a group of at most `bound` postings, all of earlier documents. Of a larger one the first posting and the
 * last one before this document's (a star), so that hits grow with the input and not with its square. */
#ifndef SH_PASSAGE_LINKS_H
#define SH_PASSAGE_LINKS_H

#include "passage/match.h"

enum { SH_LINKS_MORE = 8 };

struct sh_links {
	const struct sh_texts *texts;
	const struct sh_groups *groups;
	size_t bound; /* 0: every group is starred */
	/* A starred seed is skipped inside an exact match of so many tokens that a starred seed led to. */
	uint32_t enough;
	uint32_t longest; /* tokens of a seed */
	/* Of a starred group, try SH_LINKS_MORE postings more when the match of neither is long enough. */
	bool more;
};

/* Begin a document, and give its hits to the matcher. */
int sh_links_hits(
    const struct sh_links *l, uint32_t document, struct sh_matcher *m, struct sh_error *err);

/* For sh_matcher_begin(), with l as arg. */
struct sh_side sh_links_side(const void *l, uint32_t document);

#endif
