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
