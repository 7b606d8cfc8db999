/* SPDX-License-Identifier: MIT */
/* Computes how much of two documents their spans cover. Tells significant spans with a query from
 * spans by chance: tables of digits match many other tables. */
#ifndef SH_PASSAGE_COVERAGE_H
#define SH_PASSAGE_COVERAGE_H

#include "base/buf.h"
#include "passage/match.h"
#include "passage/placed.h"

struct sh_coverage {
	uint32_t first; /* matched tokens of the document with the tokens sh_span.from .. */
	uint32_t other; /* matched tokens of the document with the tokens sh_span.at .. */
};

/* Sorts n spans of one pair and computes their coverage. A token in several spans counts once, by
 * the span that matches most. `room` is scratch memory. */
int sh_coverage(struct sh_span *spans, size_t n, struct sh_buf *room, struct sh_coverage *out,
    struct sh_error *err);

/* Returns the least coverage, in millionths, at which a query counts as found: 0.6 for 20 tokens or
 * more, 0.8 for 10 or more, and 1 for fewer. Short questions match other documents by chance. */
uint64_t sh_coverage_wanted(size_t tokens);

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
