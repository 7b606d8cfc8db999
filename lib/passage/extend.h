/* SPDX-License-Identifier: MIT */
/* The parts of an alignment between and beyond the exact matches. */
#ifndef SH_PASSAGE_EXTEND_H
#define SH_PASSAGE_EXTEND_H

#include "passage/match.h"

enum {
	/* the most tokens by which the two sides may shift against each other */
	SH_EXTEND_BAND = 5,
	/* an extension ends when its score is at least this much below its best score */
	SH_EXTEND_DROP = 10,
	/* The most tokens of an extension: FEW, and four for each matched token of the span, but at
	 * most MAX. Without a limit, text of few distinct tokens would be extended without end. */
	SH_EXTEND_FEW = 24,
	SH_EXTEND_MAX = 128,
	SH_COMMON_MAX = 64, /* most tokens on a side for which sh_common() aligns */
};

/* Returns the number of tokens that both stretches have in common, in order. This is the number of
 * matches on the diagonal when it is at least half of the tokens; otherwise the length of the
 * longest common subsequence. Stretches of more than SH_COMMON_MAX tokens are compared on the
 * diagonal only. */
uint32_t sh_common(const uint32_t *a, size_t n, const uint32_t *b, size_t m);

/* Extends the span at both ends, and adds to span->matched. a: tokens of this document, b: of the
 * other one. A match scores 1, a difference -1. */
void sh_extend(struct sh_span *span, struct sh_token_hashes a, struct sh_token_hashes b);

#endif
