/* SPDX-License-Identifier: MIT */
/* The edit distance (Levenshtein 1966) of two sequences of tokens, exact up to a limit: the least
 * number of tokens to insert, delete or replace that turns one sequence into the other.
 *
 * The common beginning and end are cut off. Then a band of the matrix is computed, 64 rows in a
 * word (Myers 1999; Hyyro 2003). The first band is narrow. Each further band has four times the
 * rows. The last band contains all paths (alignments) within the limit (Ukkonen 1985). A band ends
 * early when the cost on the last diagonal is above the limit. */
#ifndef SH_MATCH_ALIGN_H
#define SH_MATCH_ALIGN_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text as the hashes of its tokens, in order. */
struct sh_sequence {
	const uint64_t *token;
	size_t n; /* below 2^31 */
};

/* Scratch memory for alignments, for one thread. */
struct sh_aligner;

/* Returns NULL when memory runs out. */
struct sh_aligner *sh_aligner_new(struct sh_error *err);
/* NULL: does nothing. */
void sh_aligner_delete(struct sh_aligner *a);

/* Sets *distance to the edit distance, or to most + 1 when the distance is above `most`. */
int sh_align(struct sh_aligner *a, struct sh_sequence x, struct sh_sequence y, size_t most,
    size_t *distance, struct sh_error *err);

/* Returns the largest distance of two texts whose edit similarity is at least the threshold, 0 to
 * 1,000,000 millionths. longer: tokens of the longer text, below 2^31. */
size_t sh_align_limit(size_t longer, uint64_t threshold);

#endif
