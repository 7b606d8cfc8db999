/* SPDX-License-Identifier: MIT */
/* Variants of a loop for processors with and without certain instructions, chosen at run time.
 *
 * A table of variants has rows, the fastest first and plain C last. A row is a struct of functions
 * that begins with a struct sh_variant. All rows of a table give the same results. Unit tests
 * compare all rows that their processor can run. */
#ifndef SH_BASE_VARIANT_H
#define SH_BASE_VARIANT_H

#include <stddef.h>

/* The instructions that a row needs. */
enum sh_needs {
	SH_NEEDS_NOTHING = 0,
	SH_NEEDS_POPCNT = 1,
	SH_NEEDS_BMI = 2, /* BMI 1 and 2 */
	SH_NEEDS_AVX2 = 4,
	SH_NEEDS_AVX512 = 8, /* F and BW */
	SH_NEEDS_AVX512_DQ = 16,
	SH_NEEDS_AVX512_VL = 32,
	SH_NEEDS_AVX512_VBMI = 64,
	SH_NEEDS_AVX512_VBMI2 = 128,
	SH_NEEDS_AVX512_VPOPCNTDQ = 256,
};

struct sh_variant {
	const char *name; /* such as "avx2" */
	unsigned needs;   /* flags of enum sh_needs */
};

/* Returns the row with index i, from 0, among the rows that this processor can run. Returns
 * NULL after the last. The caller casts the result to the type of its rows. */
const struct sh_variant *sh_variant_at(const struct sh_variant *const *rows, size_t n, unsigned i);

#endif
