/* SPDX-License-Identifier: MIT */
/* Parses and prints numbers: counts, weights, sizes and hexadecimal words.
 *
 * A parser reads the whole slice. It accepts no sign and no white space, in any locale. It returns
 * a code of enum sh_num, and sets the result only when the code is SH_NUM_OK. Printers write no
 * final NUL and return the number of bytes written. */
#ifndef SH_BASE_NUM_H
#define SH_BASE_NUM_H

#include <stdint.h>

#include "base/slice.h"

enum sh_num {
	SH_NUM_OK = 0,
	SH_NUM_MALFORMED = -1, /* not a number, or empty */
	SH_NUM_PLACES = -2,    /* more than SH_WEIGHT_PLACES decimal places */
	SH_NUM_RANGE = -3,     /* too large for the result */
};

/* Returns the text for a negative code, such as "not a number". */
const char *sh_num_reason(int code);

/* A weight is a non-negative number of millionths in an int64_t. */
#define SH_WEIGHT_ONE    INT64_C(1000000)
#define SH_WEIGHT_PLACES 6

/* The most bytes that sh_print_u64() and sh_print_weight() write. */
#define SH_NUM_CHARS 20

/* Parses decimal digits; leading zeros are allowed. */
int sh_parse_u64(struct sh_slice s, uint64_t *out);

/* Parses digits, perhaps with a point and 1 to 6 more digits, such as "3" and "0.25". The largest
 * weight is 9223372036854.775807. */
int sh_parse_weight(struct sh_slice s, int64_t *millionths);

/* The next three functions parse arguments of options. Records do not contain such numbers. */

/* Parses digits, or a number with a power of ten, such as "8e9" and "1.5E6". SH_NUM_MALFORMED: the
 * value is not whole, or it has a point and no power of ten. */
int sh_parse_count(struct sh_slice s, uint64_t *out);

/* Parses a number as sh_parse_weight() does, also without digits before the point, as in ".8". */
int sh_parse_millionths(struct sh_slice s, int64_t *millionths);

/* Parses a number of bytes: digits, perhaps with a unit K M G T P of either case, a power of 1024.
 * Only a number with a unit may have decimal places, at most 6: "1.5G", ".5G". Rounds down. */
int sh_parse_size(struct sh_slice s, uint64_t *bytes);

/* Prints decimal digits, at most SH_NUM_CHARS bytes. */
size_t sh_print_u64(char *out, uint64_t x);

/* Prints the shortest form: "1", "0.5", "0.333333". millionths >= 0. */
size_t sh_print_weight(char *out, int64_t millionths);

/* Prints the first `digits` hexadecimal digits, in lower case, of the words w[0], w[1] and so on.
 * A word has 16 digits, the most significant digit first. */
size_t sh_print_hex(char *out, const uint64_t *w, size_t digits);

/* Parses lower-case hexadecimal digits, as sh_print_hex() prints them. Fills (s.n + 15) / 16 words,
 * also when it fails. The last word is left-aligned: its other bits are 0. Upper case is
 * SH_NUM_MALFORMED, because records are compared as bytes. */
int sh_parse_hex(struct sh_slice s, uint64_t *w);

/* Prints the low 4 * digits bits of x, with leading zeros. digits: 1 to 16. */
static inline size_t sh_print_hex_number(char *out, uint64_t x, size_t digits)
{
	x <<= 64 - 4 * digits;
	return sh_print_hex(out, &x, digits);
}

/* Parses a number of 1 to 16 lower-case hexadecimal digits. */
static inline int sh_parse_hex_number(struct sh_slice s, uint64_t *x)
{
	uint64_t word;

	if (s.n > 16 || sh_parse_hex(s, &word) < 0)
		return SH_NUM_MALFORMED;
	*x = word >> (64 - 4 * s.n);
	return SH_NUM_OK;
}

/* Returns the value of a hexadecimal digit, lower or upper case; -1 for any other character. */
static inline int sh_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
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
