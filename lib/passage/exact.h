/* SPDX-License-Identifier: MIT */
/* Finds passages of at least L tokens that occur again, word for word, in the same document or in
 * another.
 *
 * Each window of L tokens has one anchor: the rightmost of its k-grams that have the least hash.
 * Equal windows have equal anchors, so a window whose anchor occurs once cannot occur again. The
 * windows of the other anchors are compared with the earlier windows of the same anchor, by their
 * hashes and then token by token. Time and memory are linear for any text, and the result does not
 * depend on k. */
#ifndef SH_PASSAGE_EXACT_H
#define SH_PASSAGE_EXACT_H

#include "passage/texts.h"

/* Number of 32-bit words that hold the marks of n tokens, two bits each. Bit 2 * i: token i is in a
 * passage. Bit 2 * i + 1: one window of a passage has tokens i and i + 1. Bit b is bit b % 32 of
 * word b / 32. So each sequence of set bits is one passage: windows that overlap are joined, and
 * windows that only touch are not. Words of 64 bits would need a library for atomic operations on
 * 32-bit processors. */
#define SH_EXACT_WORDS(n) ((n) / 16 + 1)

/* Largest length. A smaller length finds the longer passages, too. */
#define SH_EXACT_MAX ((uint32_t)1 << 20)

/* Returns the seeds of passages of at least `length` tokens: the anchors of their windows. k: 1 to
 * length; 0: chosen. */
struct sh_seed_opts sh_exact_seeds(uint32_t length, unsigned k);

struct sh_exact_opts {
	uint32_t length; /* L: tokens of the shortest passage */
	bool every;      /* mark all occurrences of a passage; false: all but the first one */
	unsigned jobs;
};

/* Sets the marks of the passages that occur again. anchors: the postings of t, with their windows.
 * `marked` has SH_EXACT_WORDS(all tokens) words, zeroed. */
int sh_exact_find(const struct sh_texts *t, struct sh_sorter *anchors,
    const struct sh_exact_opts *opts, uint32_t *marked, struct sh_error *err);

#endif
