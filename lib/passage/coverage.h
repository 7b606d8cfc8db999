/* Computes how much of two documents their spans cover. */
#ifndef SH_PASSAGE_COVERAGE_H
#define SH_PASSAGE_COVERAGE_H

#include "base/buf.h"
#include "passage/match.h"

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

#endif
