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

/* Largest length. A smaller length finds the longer passages, too. */
#define SH_EXACT_MAX ((uint32_t)1 << 20)

/* Returns the seeds of passages of at least `length` tokens: the anchors of their windows. k: 1 to
 * length; 0: chosen. */
struct sh_seed_opts sh_exact_seeds(uint32_t length, unsigned k);

/* Sets again[i] to 1 when the window of `length` tokens that begins with token i, counted over all
 * texts, equals an earlier window; with `every` also when it equals a later one. anchors: the
 * postings of t, with their windows. `again` has a zeroed byte for each token. */
int sh_exact_find(const struct sh_texts *t, struct sh_sorter *anchors, uint32_t length, bool every,
    unsigned jobs, char *again, struct sh_error *err);

#endif
