/* Prints and parses decimal numbers, eight digits at a time in a word of 64 bits. The first digit is the lowest
 * byte of the word. */
#ifndef SH_BASE_DECIMAL_H
#define SH_BASE_DECIMAL_H

#include "base/bytes.h"
#include "base/num.h"

/* The most bytes that sh_put_decimal() writes. */
#define SH_DECIMAL_ROOM 24

#define SH_DECIMAL_ZEROS UINT64_C(0x3030303030303030)

/* Returns the eight digits of x < 10^8, each a byte from 0 to 9. */
static inline uint64_t sh_decimal_digits(uint32_t x)
{
	uint64_t four = x / 10000 | (uint64_t)(x % 10000) << 32;
	uint64_t hundreds = (four * 10486 >> 20) & UINT64_C(0x0000007F0000007F);
	uint64_t two = hundreds | (four - 100 * hundreds) << 16;
	uint64_t tens = (two * 103 >> 10) & UINT64_C(0x000F000F000F000F);

	return tens | (two - 10 * tens) << 8;
}

/* Prints a number without leading zeros and returns its length. Up to SH_DECIMAL_ROOM bytes are
 * overwritten: faster than sh_print_u64(). */
static inline size_t sh_put_decimal(char *out, uint64_t x)
{
	const uint32_t eight = 100000000;
	uint32_t head = (uint32_t)(x < eight ? x : x / eight);
	uint64_t digits;
	size_t zeros;

	if (x >= (uint64_t)eight * eight)
		return sh_print_u64(out, x);
	digits = sh_decimal_digits(head);
	/* Drops leading zeros, but not the last digit. */
	zeros = (size_t)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
	sh_put_le64(out, (digits | SH_DECIMAL_ZEROS) >> 8 * zeros);
	if (x < eight)
		return 8 - zeros;
	sh_put_le64(out + 8 - zeros, sh_decimal_digits((uint32_t)(x % eight)) | SH_DECIMAL_ZEROS);
	return 16 - zeros;
}

/* Returns the number that n digits at p stand for, 1 <= n <= 8. Eight bytes at p must be readable. Sets bits
 * of *bad when a byte is not a digit. */
static inline uint32_t sh_decimal_eight(const char *p, size_t n, uint64_t *bad)
{
	unsigned shift = (unsigned)(64 - 8 * n);
	uint64_t x = (sh_le64(p) << shift) ^ SH_DECIMAL_ZEROS << shift;

	*bad |= ((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080);
	x = x * (1 + (10 << 8)) >> 8 & UINT64_C(0x00FF00FF00FF00FF);
	x = x * (1 + (100 << 16)) >> 16 & UINT64_C(0x0000FFFF0000FFFF);
	return (uint32_t)(x * (1 + (UINT64_C(10000) << 32)) >> 32);
}

#endif
