/* Prints and parses hexadecimal digits: 1, 8 or 16 in one call. */
#ifndef SH_BASE_HEX_H
#define SH_BASE_HEX_H

#include "base/bytes.h"
#include "base/neon.h"

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

#if defined(__aarch64__)

/* Prints w as 16 digits. */
static inline void sh_print_hex16(char *out, uint64_t w)
{
	static const uint8_t digits[] = "0123456789abcdef";
	uint8x16_t v = vcombine_u8(vrev64_u8(vcreate_u8(w)), vcreate_u8(0));

	v = vzip1q_u8(vshrq_n_u8(v, 4), vandq_u8(v, vdupq_n_u8(15)));
	vst1q_u8((uint8_t *)out, vqtbl1q_u8(vld1q_u8(digits), v));
}

/* Converts 16 lower-case digits to 64 bits. *bad: as in sh_unhex8(). */
static inline uint64_t sh_unhex16(const char *p, uint64_t *bad)
{
	uint8x16_t c = vld1q_u8((const uint8_t *)p);
	uint8x16_t digit = vsubq_u8(c, vdupq_n_u8('0')), letter = vsubq_u8(c, vdupq_n_u8('a'));
	uint8x16_t is_letter = vcltq_u8(letter, vdupq_n_u8(6));
	uint8x16_t good = vorrq_u8(vcltq_u8(digit, vdupq_n_u8(10)), is_letter), v;

	*bad |= sh_neon_any(vmvnq_u8(good));
	v = vbslq_u8(is_letter, vaddq_u8(letter, vdupq_n_u8(10)), digit);
	v = vsliq_n_u8(vuzp2q_u8(v, v), vuzp1q_u8(v, v), 4);
	return vget_lane_u64(vreinterpret_u64_u8(vrev64_u8(vget_low_u8(v))), 0);
}

#else

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

#endif
