/* The sums of a fingerprint on 64-bit ARM: the bit slices of simhash_plain.c with two
 * hashes side by side in a register. */
#include "fp/simhash_slices.h"

#if defined(__aarch64__)

#include <arm_neon.h>

struct pair2 {
	uint64x2_t sum, carry;
};

/* A full adder of three instructions: where a and b differ, the carry is c. */
static inline struct pair2 add2(uint64x2_t a, uint64x2_t b, uint64x2_t c)
{
	uint64x2_t u = veorq_u64(a, b);

	return (struct pair2){ veorq_u64(u, c), vbslq_u64(u, c, a) };
}

/* 16 hashes enter planes 0..2; returned is a carry of weight eight. */
static inline uint64x2_t take16(uint64x2_t *p, const uint64_t *h)
{
	struct pair2 a = add2(p[0], vld1q_u64(h), vld1q_u64(h + 2)), b, c, d;

	b = add2(a.sum, vld1q_u64(h + 4), vld1q_u64(h + 6));
	c = add2(p[1], a.carry, b.carry);
	a = add2(b.sum, vld1q_u64(h + 8), vld1q_u64(h + 10));
	b = add2(a.sum, vld1q_u64(h + 12), vld1q_u64(h + 14));
	p[0] = b.sum;
	d = add2(c.sum, a.carry, b.carry);
	p[1] = d.sum;
	a = add2(p[2], c.carry, d.carry);
	p[2] = a.sum;
	return a.carry;
}

static inline void take32(uint64x2_t *p, unsigned used, const uint64_t *h)
{
	uint64x2_t low = take16(p, h), carry, t;
	struct pair2 a = add2(p[3], low, take16(p, h + 16));

	p[3] = a.sum;
	carry = a.carry;
	for (unsigned i = 4; i < used; i++) {
		t = vandq_u64(p[i], carry);
		p[i] = veorq_u64(p[i], carry);
		carry = t;
	}
}

/* The two lanes' counts in one: n planes become n + 1. */
static inline void fold2(const uint64x2_t *p, unsigned n, uint64_t *slices)
{
	uint64_t up = 0, x, y, u;

	for (unsigned i = 0; i < n; i++) {
		x = vgetq_lane_u64(p[i], 0);
		y = vgetq_lane_u64(p[i], 1);
		u = x ^ y;
		slices[i] = u ^ up;
		up = (x & y) | (u & up);
	}
	slices[n] = up;
}

static void units(uint64_t planes[SH_PLANES], uint64_t total, const uint64_t *h, size_t n)
{
	bool fresh = total == n;

	while (n) {
		size_t piece = n < SH_PIECE ? n : SH_PIECE, i;
		unsigned used = sh_lane_planes((piece + 1) / 2, 4);
		uint64x2_t p[SH_LANE_PLANES];
		uint64_t last[32] = { 0 }, slices[SH_LANE_PLANES + 1];

		for (i = 0; i < used; i++)
			p[i] = vdupq_n_u64(0);
		for (i = 0; i + 32 <= piece; i += 32)
			take32(p, used, h + i);
		if (i < piece) { /* zeros count nothing */
			memcpy(last, h + i, (piece - i) * sizeof *h);
			take32(p, used, last);
		}
		fold2(p, used, slices);
		sh_add_slices(planes, sh_planes_used(total), slices, used + 1, fresh);
		fresh = false;
		h += piece;
		n -= piece;
	}
}

/* Four lanes: s += weight where x has the lane's bit. Not one multiplication with the mask,
 * which many a core does slowly. The barrier: gcc 12 makes three instructions of the test
 * otherwise. */
static inline int32x4_t add4(int32x4_t s, uint32x4_t x, uint32x4_t bit, int32x4_t weight)
{
	uint32x4_t has = vtstq_u32(x, bit);

	__asm__("" : "+w"(has));
	return vaddq_s32(s, vandq_s32(vreinterpretq_s32_u32(has), weight));
}

/* The 32 lanes of h >> shift from the highest on, whose sums and masks stay in registers. */
static inline void weigh32(
    int32_t sum[32], const uint64_t *h, unsigned shift, const int64_t *w, size_t n)
{
	static const uint32_t first[4] = { 1u << 31, 1u << 30, 1u << 29, 1u << 28 };
	uint32x4_t bit[8];
	int32x4_t s[8];

	bit[0] = vld1q_u32(first);
	for (unsigned i = 1; i < 8; i++)
		bit[i] = vshrq_n_u32(bit[i - 1], 4);
	for (unsigned i = 0; i < 8; i++) {
		__asm__("" : "+w"(bit[i])); /* not constants to be loaded for each hash */
		s[i] = vld1q_s32(sum + 4 * i);
	}
	for (size_t k = 0; k < n; k++) {
		uint32x4_t x = vdupq_n_u32((uint32_t)(h[k] >> shift));
		int32x4_t weight = vdupq_n_s32((int32_t)w[k]);

		for (unsigned i = 0; i < 8; i++)
			s[i] = add4(s[i], x, bit[i], weight);
	}
	for (unsigned i = 0; i < 8; i++)
		vst1q_s32(sum + 4 * i, s[i]);
}

static void weights(int32_t sum[64], const uint64_t *h, const int64_t *w, size_t n)
{
	weigh32(sum, h, 32, w, n);
	weigh32(sum + 32, h, 0, w, n);
}

const struct sh_simhash_kernel sh_simhash_neon = { { "neon", SH_NEEDS_NOTHING }, units, weights };

#endif
