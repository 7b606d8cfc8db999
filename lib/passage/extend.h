/* The parts of an alignment that are not exact matches. */
#ifndef SH_PASSAGE_EXTEND_H
#define SH_PASSAGE_EXTEND_H

#include "passage/match.h"

enum {
	SH_EXTEND_BAND = 5,  /* tokens that the two sides may shift against each other */
	SH_EXTEND_DROP = 10, /* an extension ends where it is so much below its best score */
	/* Tokens beyond an end: FEW and four for each one that matches, MAX at most. Text of few different tokens
	 * would never end. */
	SH_EXTEND_FEW = 24,
	SH_EXTEND_MAX = 128,
	SH_COMMON_MAX = 64, /* tokens on a side of sh_common() */
};

/* Tokens that both stretches have, in order: on the diagonal when these are at least half, else the longest
 * common subsequence. Of stretches longer than SH_COMMON_MAX on the diagonal only. */
uint32_t sh_common(const uint32_t *a, size_t n, const uint32_t *b, size_t m);

/* Extend the span at both ends: a match scores 1, a difference -1. */
void sh_extend(struct sh_span *span, struct sh_side a, struct sh_side b);

#endif
