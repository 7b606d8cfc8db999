/* The edit distance (Levenshtein 1966) of two sequences of tokens, exact up to a limit: the least number of
 * tokens to insert, delete or replace that turns one sequence into the other.
 *
 * The common beginning and end are cut off. Then two ways find the distance d of n tokens:
 *   1. by diagonals (Ukkonen 1985; Landau and Vishkin 1989), in O(n + d^2): near-duplicates;
 *   2. by blocks of 64 rows of the matrix (Myers 1999; Hyyro 2003), only those within the limit of
 *      the diagonal, when the tokens that one text lacks do not prove the distance above the limit.
 * The second begins when the first has cost as much as the second will, or at once when the distance is
 * known to be large. */
#ifndef SH_GROUP_ALIGN_H
#define SH_GROUP_ALIGN_H

#include "base/error.h"
#include "group/measure.h"

#include <stddef.h>
#include <stdint.h>

/* A text as the hashes of its tokens, in order. */
struct sh_sequence {
	const uint64_t *token;
	size_t n; /* below 2^31 */
};

/* How often the tokens of each of some classes stand in a text of n tokens, whatever their order. */
struct sh_bag {
	uint64_t n;
	uint8_t times[256]; /* at most 255 are counted */
};

void sh_bag_fill(struct sh_bag *bag, struct sh_sequence text);

/* Returns a number that the edit distance of the texts is not below, at a small part of its cost. */
size_t sh_bag_distance(const struct sh_bag *x, const struct sh_bag *y);

/* Scratch memory for alignments, for one thread. */
struct sh_aligner;

struct sh_aligner *sh_aligner_new(struct sh_error *err);
void sh_aligner_delete(struct sh_aligner *a);

/* *distance is the edit distance when that is at most `limit`, otherwise limit + 1. least: a number
 * that the distance is not below, as far as is known; it decides about the way only. */
int sh_align(struct sh_aligner *a, struct sh_sequence x, struct sh_sequence y, size_t least,
    size_t limit, size_t *distance, struct sh_error *err);

/* Returns the largest distance of two texts whose edit similarity is at least the threshold (millionths).
 * longer: tokens of the longer text. */
size_t sh_align_limit(size_t longer, uint64_t threshold);

/* Sets the edit similarity: 1 - distance / tokens of the longer text, or 0 when the distance is above
 * `limit`. Without tokens it is 0. */
int sh_align_similarity(struct sh_aligner *a, struct sh_sequence x, struct sh_sequence y,
    size_t least, size_t limit, struct sh_similarity *s, struct sh_error *err);

#endif
