/* How much of two documents their spans cover. */
#ifndef SH_PASSAGE_COVERAGE_H
#define SH_PASSAGE_COVERAGE_H

#include "base/buf.h"
#include "passage/match.h"

struct sh_coverage {
	uint32_t first, other; /* matched tokens of this document, and of the other one */
};

/* Of n spans of one pair, which it sorts. Tokens of spans that overlap count once, as matched as in the span that
 * matches most. `room` is a buffer for any use. */
int sh_coverage(struct sh_span *spans, size_t n, struct sh_buf *room, struct sh_coverage *out,
    struct sh_error *err);

/* The least coverage, in millionths, of a query that counts as found: 0.6 from 20 tokens on, 0.8 from 10 on,
 * below these all of it. Short questions match others by chance. */
uint64_t sh_coverage_wanted(size_t tokens);

#endif
