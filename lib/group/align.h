/* The edit distance (Levenshtein 1966) of two sequences of tokens, exact up to a limit: the least
 * number of tokens inserted, deleted or replaced that makes one of the other.
 *
 * Three bounds are tried before the alignment, from the cheapest on:
 *   1. the difference of the lengths;
 *   2. the tokens that the other text lacks, counted without regard to their order;
 *   3. a band: with a limit d only cells within d of the diagonal are computed.
 * The alignment takes 64 rows of the matrix at a time (Myers 1999; Hyyro 2003), after the common
 * beginning and end are cut off. */
#ifndef SH_GROUP_ALIGN_H
#define SH_GROUP_ALIGN_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* A text as a sequence of tokens, indexed: token[i] is the place in hash[] of the i-th token. */
struct sh_sequence {
	const uint64_t *hash; /* distinct tokens, ascending */
	const uint32_t
	    *first; /* place[first[t]] .. place[first[t + 1] - 1]: where token t stands */
	const uint32_t *place; /* ascending for each token */
	const uint32_t *token;
	size_t distinct, n;
};

/* Bytes of the arrays of a sequence, but for hash[]. */
static inline size_t sh_sequence_bytes(size_t distinct, size_t n)
{
	return (distinct + 1 + 2 * n) * sizeof(uint32_t);
}

/* Fills in first, place and token of a sequence from the hashes of the tokens in their order.
 * room: sh_sequence_bytes() bytes that outlive the sequence. */
void sh_sequence_index(struct sh_sequence *s, const uint64_t *token, size_t n, uint32_t *room);

/* Room for alignments. One serves one thread. */
struct sh_aligner;

struct sh_aligner *sh_aligner_new(struct sh_error *err);
void sh_aligner_delete(struct sh_aligner *a);

/* *distance is the edit distance when that is at most `limit`, otherwise limit + 1. */
int sh_align(struct sh_aligner *a, const struct sh_sequence *x, const struct sh_sequence *y,
    size_t limit, size_t *distance, struct sh_error *err);

#endif
