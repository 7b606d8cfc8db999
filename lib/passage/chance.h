/* Tells significant spans with a query from spans by chance: tables of digits match many other
 * tables. */
#ifndef SH_PASSAGE_CHANCE_H
#define SH_PASSAGE_CHANCE_H

#include "passage/match.h"
#include "passage/placed.h"

enum {
	/* A span of n matched tokens needs ceil(min(n, this number) / 2) distinct tokens. */
	SH_CHANCE_DISTINCT_OF = 20,
	/* A verbatim span of at least this number of tokens needs no distinct tokens. */
	SH_CHANCE_VERBATIM = 15,
};

/* Returns 1 when the span has enough distinct tokens, or is verbatim and either long enough or all
 * of the query. Returns 0 when the span may be by chance, -1 when memory runs out. The span's side
 * `at` is the query. Calls sh_placer_distinct(). */
int sh_span_is_significant(const struct sh_span *span, const struct sh_placed *query,
    struct sh_placer *placer, struct sh_error *err);

#endif
