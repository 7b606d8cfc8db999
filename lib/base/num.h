/* Parses and prints numbers: counts, weights, sizes and hexadecimal words.
 *
 * A parser accepts the whole slice or refuses it. It accepts no blanks, no sign and no exponent, and does not
 * depend on the locale. It returns SH_NUM_OK (0) or a negative reason, which sh_num_reason() puts into words.
 * The result is set only on success. Printers write no final NUL and return the number of bytes written. */
#ifndef SH_BASE_NUM_H
#define SH_BASE_NUM_H

#include <stdint.h>

#include "base/slice.h"

enum sh_num {
	SH_NUM_OK = 0,
	SH_NUM_MALFORMED = -1, /* not a number, or empty */
	SH_NUM_PLACES = -2,    /* a weight with more than SH_WEIGHT_PLACES decimal places */
	SH_NUM_RANGE = -3,     /* too large for its type */
};

/* Returns "not a number", "more than 6 decimal places" or "too large". */
const char *sh_num_reason(int code);

/* A weight is a non-negative number of millionths in an int64_t. */
#define SH_WEIGHT_ONE    INT64_C(1000000)
#define SH_WEIGHT_PLACES 6

/* The most bytes of a printed u64 or weight. */
#define SH_NUM_CHARS 20

/* Parses decimal digits; leading zeros are allowed. */
int sh_parse_u64(struct sh_slice s, uint64_t *out);

/* Parses digits, perhaps with a point and 1 to 6 more digits, such as "3" and "0.25"; at most
 * 9223372036854.775807. */
int sh_parse_weight(struct sh_slice s, int64_t *millionths);

/* The next three functions parse arguments of options. Records do not contain such numbers. */

/* Parses a whole number, as digits, or as a decimal number with a power of ten when its value is whole:
 * "8e9", "1.5E6". */
int sh_parse_count(struct sh_slice s, uint64_t *out);

/* Parses a number as sh_parse_weight() does. The 0 before the point may be missing: "0.8", ".8". */
int sh_parse_share(struct sh_slice s, int64_t *millionths);

/* Parses a number of bytes: digits, and perhaps a unit K M G T P of either case, a power of 1024. A number
 * before a unit may have up to 6 decimals, as "1.5G" and ".5G". Rounds down to whole bytes. */
int sh_parse_size(struct sh_slice s, uint64_t *bytes);

size_t sh_print_u64(char *out, uint64_t x);

/* Prints the shortest form: "1", "0.5", "0.333333". millionths >= 0. */
size_t sh_print_weight(char *out, int64_t millionths);

/* Prints words as lower-case hexadecimal digits. w[0] gives the first 16 digits, the most significant digit
 * first. When digits is not a multiple of 16, the last word is left-aligned: its low bits are not printed. */
size_t sh_print_hex(char *out, const uint64_t *w, size_t digits);

/* Parses the digits that sh_print_hex() prints: fills (s.n + 15) / 16 words. The unused low bits of the last
 * word are 0. Upper case is SH_NUM_MALFORMED, because records are compared as bytes. On failure w may be
 * partly written. */
int sh_parse_hex(struct sh_slice s, uint64_t *w);

/* Prints the low 4 * digits bits of x as `digits` digits, 1 to 16, with leading zeros. */
static inline size_t sh_print_hex_number(char *out, uint64_t x, size_t digits)
{
	x <<= 64 - 4 * digits;
	return sh_print_hex(out, &x, digits);
}

/* Parses a number of 1 to 16 hexadecimal digits. */
static inline int sh_parse_hex_number(struct sh_slice s, uint64_t *x)
{
	uint64_t word;

	if (s.n > 16 || sh_parse_hex(s, &word) < 0)
		return SH_NUM_MALFORMED;
	*x = word >> (64 - 4 * s.n);
	return SH_NUM_OK;
}

/* Returns the number of hexadecimal digits of x without leading zeros; 1 for 0. */
static inline unsigned sh_hex_width(uint64_t x)
{
	unsigned n = 1;

	while (x >>= 4)
		n++;
	return n;
}

#endif
