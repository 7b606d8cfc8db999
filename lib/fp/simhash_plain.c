#include "fp/simhash_kernel.h"

#include <string.h>

/* A full adder on 64 lanes: a + b + c = 2 * carry + sum. */
static inline uint64_t add3(uint64_t *carry, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t u = a ^ b;

	*carry = (a & b) | (u & c);
	return u ^ c;
}

/* Eight words enter planes 0..2 and leave one carry of weight eight (Harley and
 * Seal's population count), which ripples through the rest. */
static inline void add8(uint64_t *p, unsigned used, const uint64_t *h)
{
	uint64_t two_a, two_b, four_a, four_b, carry, t;
	unsigned i;

	p[0] = add3(&two_a, p[0], h[0], h[1]);
	p[0] = add3(&two_b, p[0], h[2], h[3]);
	p[1] = add3(&four_a, p[1], two_a, two_b);
	p[0] = add3(&two_a, p[0], h[4], h[5]);
	p[0] = add3(&two_b, p[0], h[6], h[7]);
	p[1] = add3(&four_b, p[1], two_a, two_b);
	p[2] = add3(&carry, p[2], four_a, four_b);
	for (i = 3; i < used; i++) {
		t = p[i] & carry;
		p[i] ^= carry;
		carry = t;
	}
}

static void units(uint64_t planes[SH_PLANES], uint64_t total, const uint64_t *h, size_t n)
{
	unsigned used = sh_planes_used(total);
	uint64_t last[8] = { 0 };

	for (; n >= 8; n -= 8, h += 8)
		add8(planes, used, h);
	if (n) { /* zeros count nothing */
		memcpy(last, h, n * sizeof *h);
		add8(planes, used, last);
	}
}

/* Masks for the eight lanes of a byte. */
#define MASK(byte, lane) -(int32_t)((byte) >> (7 - (lane)) & 1)
#define ROW(b)                                                                                     \
	{                                                                                          \
		MASK(b, 0), MASK(b, 1), MASK(b, 2), MASK(b, 3), MASK(b, 4), MASK(b, 5),            \
		    MASK(b, 6), MASK(b, 7)                                                         \
	}
#define ROWS4(b)  ROW(b), ROW((b) + 1), ROW((b) + 2), ROW((b) + 3)
#define ROWS16(b) ROWS4(b), ROWS4((b) + 4), ROWS4((b) + 8), ROWS4((b) + 12)
#define ROWS64(b) ROWS16(b), ROWS16((b) + 16), ROWS16((b) + 32), ROWS16((b) + 48)

static const int32_t mask[256][8] = { ROWS64(0), ROWS64(64), ROWS64(128), ROWS64(192) };

/* Four lanes, in one register on every 64-bit machine. */
typedef int32_t four __attribute__((vector_size(16)));

static inline four load4(const int32_t *p)
{
	four v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* Two bytes of all hashes at a time, so that their sums stay in registers. */
static void weights(int32_t sum[64], const uint64_t *h, const int64_t *w, size_t n)
{
	four a, b, c, d, x;
	const int32_t *m;
	uint64_t pair;
	size_t i;
	unsigned byte;

	for (byte = 0; byte < 8; byte += 2, sum += 16) {
		a = load4(sum);
		b = load4(sum + 4);
		c = load4(sum + 8);
		d = load4(sum + 12);
		for (i = 0; i < n; i++) {
			pair = h[i] >> (48 - 8 * byte);
			x = (four){ 0 } + (int32_t)w[i];
			m = mask[pair >> 8 & 0xff];
			a += x & load4(m);
			b += x & load4(m + 4);
			m = mask[pair & 0xff];
			c += x & load4(m);
			d += x & load4(m + 4);
		}
		memcpy(sum, &a, sizeof a);
		memcpy(sum + 4, &b, sizeof b);
		memcpy(sum + 8, &c, sizeof c);
		memcpy(sum + 12, &d, sizeof d);
	}
}

const struct sh_simhash_kernel sh_simhash_plain = { { "plain", SH_NEEDS_NOTHING }, units, weights };
