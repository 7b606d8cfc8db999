/* SPDX-License-Identifier: MIT */
/* Prints and parses hexadecimal digits: 1, 8 or 16 in one call. */
#ifndef SH_BASE_HEX_H
#define SH_BASE_HEX_H

#include "base/bytes.h"

/* A word with the value x in each of its 8 bytes. */
#define SH_HEX_BYTES(x) (UINT64_C(0x0101010101010101) * (x))

/* Returns the value of a hexadecimal digit, lower or upper case; -1 for any other character. */
static inline int sh_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Converts each byte of v, a value from 0 to 15, to a lower-case digit. */
static inline uint64_t sh_hex_digits(uint64_t v)
{
	return v + SH_HEX_BYTES('0') +
	       ((v + SH_HEX_BYTES(6)) >> 4 & SH_HEX_BYTES(1)) * ('a' - '9' - 1);
}

/* Converts the top 32 bits of w to 8 digits. The lowest byte of the result is the first digit. */
static inline uint64_t sh_hex8(uint64_t w)
{
	uint64_t v = w >> 32;

	v = (v << 32 | v >> 16) & UINT64_C(0x0000ffff0000ffff);
	v = (v << 16 | v >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v << 8 | v >> 4) & SH_HEX_BYTES(0x0f);
	return sh_hex_digits(v);
}

/* Converts 8 lower-case digits to 32 bits. Sets bits in *bad when a byte is not a lower-case digit;
 * never clears bits. */
static inline uint64_t sh_unhex8(const char *p, uint64_t *bad)
{
	uint64_t x = sh_le64(p);
	uint64_t v = (x & SH_HEX_BYTES(0x0f)) + (x >> 6 & SH_HEX_BYTES(1)) * 9;

	v &= SH_HEX_BYTES(0x0f);
	/* A bad byte differs from the digit of its value. */
	*bad |= sh_hex_digits(v) ^ x;
	v = (v << 4 | v >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
	return __builtin_bswap32((uint32_t)(v | v >> 16));
}

/* Prints w as 16 digits. */
static inline void sh_print_hex16(char *out, uint64_t w)
{
	sh_put_le64(out, sh_hex8(w));
	sh_put_le64(out + 8, sh_hex8(w << 32));
}

/* Converts 16 lower-case digits to 64 bits. *bad: as in sh_unhex8(). */
static inline uint64_t sh_unhex16(const char *p, uint64_t *bad)
{
	return sh_unhex8(p, bad) << 32 | sh_unhex8(p + 8, bad);
}

#endif
