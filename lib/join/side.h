/* SPDX-License-Identifier: MIT */
/* One side of a join: the fingerprints that are compared, in an order that changes from block to
 * block.
 *
 * A side has two parallel arrays: one word of each fingerprint, and the fingerprint's number. A
 * fingerprint of at most 64 bits is its word. The words of wider ones are in the caller's array, at
 * fp + number * words, and `word` holds one of them at a time. */
#ifndef SH_JOIN_SIDE_H
#define SH_JOIN_SIDE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	SH_SIDE_PAD = 32,     /* elements of both arrays that are readable beyond the end */
	SH_SIDE_KEY_BITS = 24 /* most bits of a key whose buckets are found */
};

/* Ready when zeroed. */
struct sh_join_side {
	const uint64_t *fp; /* borrowed; unused for fingerprints of one word */
	unsigned words;     /* of a fingerprint */
	uint32_t n;         /* elements */
	size_t cap;         /* allocated elements, SH_SIDE_PAD not counted */
	uint64_t *word;
	uint32_t *number;
};

/* Reserves n elements. Keeps the elements that the side has. Does not set s->n. SH_ERR_PARAM: n is
 * 2^32 - 64 or more. */
int sh_join_side_reserve(struct sh_join_side *s, size_t n, struct sh_error *err);
void sh_join_side_free(struct sh_join_side *s);

/* Makes a side of all n < 2^32 - 64 fingerprints of an array, with their first words. fp is
 * borrowed. SH_ERR_PARAM: there are more. */
int sh_join_side_load(
    struct sh_join_side *s, const uint64_t *fp, size_t n, unsigned words, struct sh_error *err);

/* Sets s->word to the words with this index, from 0, of all elements. Does nothing when a
 * fingerprint is one word. */
void sh_join_side_fetch(struct sh_join_side *s, unsigned word);

/* Orders the side by a key: the bits of a mask, read as a number. Elements with equal keys keep
 * their order. room is scratch memory: a zeroed side at first, which grows as needed, and of which
 * only the arrays are used. The sides may exchange their arrays. The result does not depend on
 * `threads` >= 1. Returns 0; or -1, and the elements of s are then undefined. */
int sh_join_side_order(struct sh_join_side *s, struct sh_join_side *room, uint64_t mask,
    unsigned threads, struct sh_error *err);

/* Finds the buckets of a side that is in the order of a mask of at most SH_SIDE_KEY_BITS bits: the
 * elements with key v are at positions start[v] .. start[v + 1] - 1. start has 2^bits + 1
 * elements. Returns the number of elements of the largest bucket. */
uint32_t sh_join_side_buckets(const struct sh_join_side *s, uint64_t mask, uint32_t *start);

#endif
