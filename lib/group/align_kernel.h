/* A column of the band in align.c, in one variant for each processor: t/unit/test_variants.c
 * compares them. */
#ifndef SH_GROUP_ALIGN_KERNEL_H
#define SH_GROUP_ALIGN_KERNEL_H

#include "base/variant.h"

#include <stddef.h>
#include <stdint.h>

/* A variant may read and write this number of words behind the last word of an array. */
enum { SH_ALIGN_SLACK = 7 };

/* The band in one column: bit i of word w is row 64 * w + i of the band. */
struct sh_align_column {
	size_t words;   /* at least 1 */
	uint64_t *up;   /* vertical differences of +1 */
	uint64_t *rise; /* vertical differences of 0 or +1 */
};

/* Cells of a column that cost as much as the cell before them on their diagonal, a bit each. */
struct sh_align_equal {
	uint64_t first, last; /* of the first and last word */
	uint64_t end;         /* of the word that was asked for */
};

struct sh_align_kernel {
	struct sh_variant variant;
	/* Hyyro 2003. Replaces the vertical differences by those of the next column, and moves the
	 * band down by a row. mask: the rows of the next column's token; bit `shift`, below 64, of
	 * its first word is row 0 of the band in the next column. It has words + 1 words. end: a
	 * word below `words`. */
	struct sh_align_equal (*column)(
	    const struct sh_align_column *c, const uint64_t *mask, unsigned shift, size_t end);
};

/* Moves the vertical differences of a word to the next column, and the band down by a row. below:
 * bits of the rows below, as in struct sh_align_equal. minus, no_plus: horizontal differences of
 * the word, -1 and not +1. */
static inline void sh_align_shift(
    uint64_t *up, uint64_t *rise, uint64_t below, uint64_t minus, uint64_t no_plus)
{
	*up = minus | (no_plus & ~below);
	*rise = no_plus | ~below;
}

/* column() in plain C. Where `words` is constant, the words stay in registers. */
static inline __attribute__((always_inline)) struct sh_align_equal sh_align_column(
    const struct sh_align_column *c, const uint64_t *mask, unsigned shift, size_t end)
{
	uint64_t *restrict up = c->up, *restrict rise = c->rise;
	uint64_t carry = 0, equal = 0, no_plus = 0, minus = 0;
	struct sh_align_equal e = { 0, 0, 0 };

#pragma GCC unroll 4
	for (size_t w = 0; w < c->words; w++) {
		uint64_t match = mask[w] >> shift | mask[w + 1] << 1 << (63 - shift);
		uint64_t x = match & up[w], sum = x + up[w], all = sum + carry, zero;

		carry = (sum < x) | (all < carry);
		zero = (all ^ up[w]) | match | ~rise[w];
		if (w)
			sh_align_shift(
			    &up[w - 1], &rise[w - 1], equal >> 1 | zero << 63, minus, no_plus);
		else
			e.first = zero;
		equal = zero;
		no_plus = (zero | up[w]) & rise[w];
		minus = zero & up[w];
		e.end = w == end ? zero : e.end;
	}
	sh_align_shift(&up[c->words - 1], &rise[c->words - 1], equal >> 1, minus, no_plus);
	e.last = equal;
	return e;
}

extern const struct sh_align_kernel sh_align_plain;
#if defined(__x86_64__)
extern const struct sh_align_kernel sh_align_avx512;
#endif

/* Returns variant i that this machine can run, the fastest first; NULL after the last one. */
const struct sh_align_kernel *sh_align_kernel_at(unsigned i);

#endif
