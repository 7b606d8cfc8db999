/* Eight hexadecimal digits at a time, in the bytes of one word. */
#ifndef SH_BASE_HEX_H
#define SH_BASE_HEX_H

#include "base/bytes.h"

#define SH_HEX_BYTES(x) (UINT64_C(0x0101010101010101) * (x))

/* One nibble a byte -> one lower-case digit a byte. */
static inline uint64_t sh_hex_digits(uint64_t v)
{
	return v + SH_HEX_BYTES('0') +
	       ((v + SH_HEX_BYTES(6)) >> 4 & SH_HEX_BYTES(1)) * ('a' - '9' - 1);
}

/* The top 32 bits of w as 8 digits; the first digit is the lowest byte. */
static inline uint64_t sh_hex8(uint64_t w)
{
	uint64_t v = w >> 32;

	v = (v << 32 | v >> 16) & UINT64_C(0x0000ffff0000ffff);
	v = (v << 16 | v >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v << 8 | v >> 4) & SH_HEX_BYTES(0x0f);
	return sh_hex_digits(v);
}

/* All 16 digits of w. */
static inline void sh_print_hex16(char *out, uint64_t w)
{
	sh_put_le64(out, sh_hex8(w));
	sh_put_le64(out + 8, sh_hex8(w << 32));
}

/* 8 digits -> 32 bits. Printing what was read tells whether it was hexadecimal. */
static inline uint64_t sh_unhex8(const char *p, uint64_t *bad)
{
	uint64_t x = sh_le64(p);
	uint64_t v = (x & SH_HEX_BYTES(0x0f)) + (x >> 6 & SH_HEX_BYTES(1)) * 9;

	v &= SH_HEX_BYTES(0x0f);
	*bad |= sh_hex_digits(v) ^ x;
	v = (v << 4 | v >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
	return __builtin_bswap32((uint32_t)(v | v >> 16));
}

#endif
