/* Helpers for loops with NEON, which every 64-bit ARM has. */
#ifndef SH_BASE_NEON_H
#define SH_BASE_NEON_H

#if defined(__aarch64__)

#include <arm_neon.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns a vector whose byte i is 1 << i % 8. */
static inline uint8x16_t sh_neon_places(void)
{
	return vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
}

/* Returns one bit for each byte of a and b. Each byte must be 0 or 255. The lowest bit is for the
 * first byte of a. Masks each byte to one bit, then adds neighbours three times. */
static inline uint32_t sh_neon_bits32(uint8x16_t a, uint8x16_t b)
{
	const uint8x16_t place = sh_neon_places();

	a = vpaddq_u8(vandq_u8(a, place), vandq_u8(b, place));
	a = vpaddq_u8(a, a);
	return vgetq_lane_u32(vreinterpretq_u32_u8(vpaddq_u8(a, a)), 0);
}

/* As sh_neon_bits32(), for 64 bytes. Bit i is for byte i % 16 of v[i / 16]. */
static inline uint64_t sh_neon_bits64(const uint8x16_t v[4])
{
	const uint8x16_t place = sh_neon_places();
	uint8x16_t a = vpaddq_u8(vandq_u8(v[0], place), vandq_u8(v[1], place));
	uint8x16_t b = vpaddq_u8(vandq_u8(v[2], place), vandq_u8(v[3], place));

	a = vpaddq_u8(a, b);
	return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(a, a)), 0);
}

/* Returns whether any bit is set. */
static inline bool sh_neon_any(uint8x16_t v)
{
	return vgetq_lane_u64(vreinterpretq_u64_u8(vpmaxq_u8(v, v)), 0) != 0;
}

#endif
#endif
