/* Numbers in text: counts, weights, sizes and hexadecimal words.
 *
 * Parsers take the whole slice or refuse it: no blanks, no sign, no exponent, no
 * locale, so that one number has few spellings. They return SH_NUM_OK (0) or a
 * negative reason, which sh_num_reason() puts into words; *out is set only on
 * success. Printers write no final NUL and return the number of bytes written. */
#ifndef SH_BASE_NUM_H
#define SH_BASE_NUM_H

#include <stdint.h>

#include "base/slice.h"

enum sh_num {
	SH_NUM_OK = 0,
	SH_NUM_MALFORMED = -1, /* something else than the number's digits, or nothing */
	SH_NUM_PLACES = -2,    /* a weight with more than SH_WEIGHT_PLACES decimal places */
	SH_NUM_RANGE = -3,     /* too large for its type */
};

/* "not a number", "more than 6 decimal places" or "too large". */
const char *sh_num_reason(int code);

/* A weight is a non-negative number of millionths in an int64_t. */
#define SH_WEIGHT_ONE    INT64_C(1000000)
#define SH_WEIGHT_PLACES 6

/* Bytes that the longest u64 or weight needs. */
#define SH_NUM_CHARS 20

/* Decimal digits, leading zeros allowed. */
int sh_parse_u64(struct sh_slice s, uint64_t *out);

/* digits, or digits '.' and 1 to 6 digits: "3", "0.25", up to 9223372036854.775807. */
int sh_parse_weight(struct sh_slice s, int64_t *millionths);

/* What people write for options, and no record has. */

/* A whole number: digits, or with a power of ten that makes it whole: "8e9", "1.5E6". */
int sh_parse_count(struct sh_slice s, uint64_t *out);

/* As a weight, or without the 0 before its point: "0.8", ".8". */
int sh_parse_share(struct sh_slice s, int64_t *millionths);

/* A number of bytes: digits and at most one of K M G T P (either case; powers of 1024); before
 * one of these it may have up to 6 decimals, "1.5G", ".5G", of which what is no whole byte is
 * cut off. */
int sh_parse_size(struct sh_slice s, uint64_t *bytes);

size_t sh_print_u64(char *out, uint64_t x);

/* Shortest form: "1", "0.5", "0.333333". millionths >= 0. */
size_t sh_print_weight(char *out, int64_t millionths);

/* Words as lower-case hexadecimal, most significant digit first: w[0] is the first
 * 16 digits. `digits` need not be a multiple of 16: the last word is left-aligned. */
size_t sh_print_hex(char *out, const uint64_t *w, size_t digits);

/* The reverse: fills (s.n + 15) / 16 words, for which the caller has room; the
 * unused low bits of the last are 0. Upper case is SH_NUM_MALFORMED, for records
 * are compared as bytes. w may be partly written on failure. */
int sh_parse_hex(struct sh_slice s, uint64_t *w);

/* A number in exactly `digits` of them, 1 to 16, leading zeros included: its low 4 * digits bits. */
static inline size_t sh_print_hex_number(char *out, uint64_t x, size_t digits)
{
	x <<= 64 - 4 * digits;
	return sh_print_hex(out, &x, digits);
}

/* The reverse, for 1 to 16 digits. */
static inline int sh_parse_hex_number(struct sh_slice s, uint64_t *x)
{
	uint64_t word;

	if (s.n > 16 || sh_parse_hex(s, &word) < 0)
		return SH_NUM_MALFORMED;
	*x = word >> (64 - 4 * s.n);
	return SH_NUM_OK;
}

/* How many hexadecimal digits a number has. */
static inline unsigned sh_hex_width(uint64_t x)
{
	unsigned n = 1;

	while (x >>= 4)
		n++;
	return n;
}

#endif
