/* Which spans with a query are no chance. Tables of digits match each other without it. */
#ifndef SH_PASSAGE_CHANCE_H
#define SH_PASSAGE_CHANCE_H

#include "passage/match.h"
#include "passage/placed.h"

enum {
	/* A span needs different tokens: half of its matched tokens, but at most half of this number. */
	SH_CHANCE_DISTINCT_OF = 20,
	/* A verbatim span of at least this number of matched tokens needs no different tokens. */
	SH_CHANCE_VERBATIM = 15,
};

/* Returns 1 when the span has enough different tokens, or is verbatim and long enough or all of the query; 0 when not;
 * -1 on failure. The placer cuts a stretch of the query: what it returned last for a text is not valid any more. */
int sh_span_no_chance(const struct sh_span *span, const struct sh_placed *query,
    struct sh_placer *placer, struct sh_error *err);

#endif
