/* The scan on 64-bit ARM: counts bits in bytes, then adds neighbouring bytes until each word has
 * one. */
#include "join/scan_kernel.h"

#if defined(__aarch64__)

#include "base/neon.h"
#include "join/near.h"

#define NAME(f) f##_neon
#define TARGET
#define TILE struct tile_neon
#define FAR  uint8x16_t

struct tile_neon {
	uint8x16_t v[SH_SCAN_TILE / 2];
};

/* A distance is at most 64, so k beyond 64 is the same as 64. */
static inline uint8x16_t far_neon(unsigned k)
{
	return vdupq_n_u8(k < 64 ? (uint8_t)k : 64);
}

static inline __attribute__((always_inline)) void load_neon(
    struct tile_neon *t, const uint64_t *p, const unsigned n)
{
	for (unsigned i = 0; i < 4 * n; i++)
		t->v[i] = vreinterpretq_u8_u64(vld1q_u64(p + (size_t)2 * i));
}

static inline __attribute__((always_inline)) uint8x16_t apart_neon(uint8x16_t x, uint8x16_t y)
{
	return vcntq_u8(veorq_u8(x, y));
}

/* Returns the distances of eight words, each as two bytes that are still to be added. */
static inline __attribute__((always_inline)) uint8x16_t eight_neon(
    const uint8x16_t *v, uint8x16_t y)
{
	return vpaddq_u8(vpaddq_u8(apart_neon(v[0], y), apart_neon(v[1], y)),
	    vpaddq_u8(apart_neon(v[2], y), apart_neon(v[3], y)));
}

/* Bits 8*n and above repeat bits below: the tile has only 8*n words. */
static inline __attribute__((always_inline)) uint32_t compare_neon(
    const struct tile_neon *t, uint64_t word, uint8x16_t far, const unsigned n)
{
	uint8x16_t y = vreinterpretq_u8_u64(vdupq_n_u64(word));
	uint8x16_t a = eight_neon(t->v, y), b = n > 1 ? eight_neon(t->v + 4, y) : a;
	uint8x16_t low = vcleq_u8(vpaddq_u8(a, b), far), high = low;

	if (n > 2) {
		a = eight_neon(t->v + 8, y);
		b = n > 3 ? eight_neon(t->v + 12, y) : a;
		high = vcleq_u8(vpaddq_u8(a, b), far);
	}
	if (__builtin_expect(!sh_neon_any(n > 2 ? vorrq_u8(low, high) : low), 1))
		return 0;
	return sh_neon_bits32(low, high);
}

#include "join/scan_body.h"

static unsigned distance_neon(const uint64_t *a, const uint64_t *b, unsigned words)
{
	uint16x8_t sum = vdupq_n_u16(0);
	unsigned d = 0, i;

	for (i = 0; i + 2 <= words; i += 2)
		sum = vpadalq_u8(sum, apart_neon(vreinterpretq_u8_u64(vld1q_u64(a + i)),
					  vreinterpretq_u8_u64(vld1q_u64(b + i))));
	if (i < words)
		d = (unsigned)__builtin_popcountll(a[i] ^ b[i]);
	return d + vaddvq_u16(sum);
}

const struct sh_kernel sh_kernel_neon = { { "neon", SH_NEEDS_NOTHING }, scan_neon, sh_near_plain,
	distance_neon };

#endif
