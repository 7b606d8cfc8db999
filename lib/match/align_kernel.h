/* A column of the band in align.c, in one variant for each processor: t/unit/test_variants.c
 * compares them. */
#ifndef SH_MATCH_ALIGN_KERNEL_H
#define SH_MATCH_ALIGN_KERNEL_H

#include "base/variant.h"

#include <stddef.h>
#include <stdint.h>

/* A variant may read and write this number of words behind the last word of an array: a variant
 * with vectors of 8 words rounds the number of words up. */
enum { SH_ALIGN_SLACK = 7 };

/* The band in one column, as differences of the costs of adjacent cells. Bit i of word w stands for
 * b = 64 * w + i: cost of cell b + 1 less cost of cell b, which is -1, 0 or +1. */
struct sh_align_column {
	size_t words;   /* at least 1 */
	uint64_t *up;   /* bits of the differences +1 */
	uint64_t *rise; /* bits of the differences 0 and +1 */
};

/* A bit is 1 when the cell of the new column costs as much as the same cell of the column before,
 * which is the cell before it on its diagonal. Otherwise the new cell costs 1 more. */
struct sh_align_equal {
	uint64_t first, last; /* bits of the first and of the last word */
	uint64_t end;         /* bits of word `end` */
};

struct sh_align_kernel {
	struct sh_variant variant;
	/* Hyyro 2003. Replaces the vertical differences by those of the next column, in which the
	 * band lies one row lower. mask: words + 1 words, a bit is 1 when the row's token is the
	 * token of the next column. Bit `shift`, below 64, of the first word belongs to cell 0.
	 * end: index of a word, below `words`. */
	struct sh_align_equal (*column)(
	    const struct sh_align_column *c, const uint64_t *mask, unsigned shift, size_t end);
};

/* Computes the vertical differences of a word in the next column. A horizontal difference is the
 * cost of a cell less the cost to its left. minus: a bit is 1 when the horizontal difference is
 * -1. no_plus: a bit is 1 when it is not +1. below: bits of struct sh_align_equal, of the cells
 * b + 1. */
static inline void sh_align_shift(
    uint64_t *up, uint64_t *rise, uint64_t below, uint64_t minus, uint64_t no_plus)
{
	*up = minus | (no_plus & ~below);
	*rise = no_plus | ~below;
}

/* column() in plain C. The words stay in registers when `words` is constant. Names in the papers of
 * Myers and Hyyro: up is VP, ~rise is VN, zero is D0, ~no_plus is HP, minus is HN. The addition
 * carries along runs of up: a diagonal stays equal below a match. Word w - 1 is finished in step w,
 * because its last bit needs the first bit of `zero` of word w. */
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
