/* Variants of a loop for processors with and without certain instructions. The choice is made when the
 * program runs.
 *
 * A table of variants has rows, the fastest first and plain C last. A row is a struct of functions that
 * begins with a struct sh_variant. All rows of a table give the same results; unit tests compare the rows
 * that their processor can run. */
#ifndef SH_BASE_VARIANT_H
#define SH_BASE_VARIANT_H

#include <stddef.h>

/* The instructions that a row needs. NEON has no flag: every 64-bit ARM has it. */
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
	const char *name;
	unsigned needs; /* flags of enum sh_needs */
};

/* Returns row i, from 0, of the rows that this processor can run, among n rows; NULL when there are i or
 * fewer. The pointer is to the beginning of the row's struct. */
const struct sh_variant *sh_variant_at(const struct sh_variant *const *rows, size_t n, unsigned i);

#endif
