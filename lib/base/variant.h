/* Variants of a loop for instructions that not every processor has, and the choice among
 * them when the program runs.
 *
 * A table of variants has rows, fastest first, the last one plain C. A row is a struct of
 * functions that begins with a struct sh_variant. All rows of a table give the same
 * results, and the unit tests hold every row that runs on their processor to that. */
#ifndef SH_BASE_VARIANT_H
#define SH_BASE_VARIANT_H

#include <stddef.h>

/* What a row's instructions ask of the processor; NEON every 64-bit ARM has. */
enum sh_needs {
	SH_NEEDS_NOTHING = 0,
	SH_NEEDS_POPCNT = 1,
	SH_NEEDS_BMI = 2, /* 1 and 2 */
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
	unsigned needs; /* of enum sh_needs */
};

/* Number i among those of n rows that run here; NULL when there are no more. The row is
 * what the pointer points to the beginning of. */
const struct sh_variant *sh_variant_at(const struct sh_variant *const *rows, size_t n, unsigned i);

#endif
