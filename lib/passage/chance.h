/* Tells the spans with a query that mean something from those that chance makes: tables of digits match many others. */
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

/* Returns 1 when the span is no chance: it has enough different tokens, or it is verbatim and either long enough or all
 * of the query. Returns 0 when it may be chance, -1 when memory runs out. Calls sh_placer_text(), so its last result is
 * not valid any more. */
int sh_span_no_chance(const struct sh_span *span, const struct sh_placed *query,
    struct sh_placer *placer, struct sh_error *err);

#endif
