/* Unsigned integers of 128 bits, modulo 2^128. They also work on machines of 32 bits, whose compilers have
 * no such type. Compare them with sh_wide_less() only: gcc 12 at -O3 for arm64 compiles `(x > y) - (x < y)`
 * wrongly when the result is compared with 0. */
#ifndef SH_BASE_WIDE_H
#define SH_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

struct sh_wide {
	uint64_t high, low;
};

static inline struct sh_wide sh_wide(uint64_t x)
{
	return (struct sh_wide){ 0, x };
}

static inline struct sh_wide sh_wide_add(struct sh_wide x, struct sh_wide y)
{
	struct sh_wide sum = { x.high + y.high, x.low + y.low };

	sum.high += sum.low < y.low;
	return sum;
}

static inline bool sh_wide_less(struct sh_wide x, struct sh_wide y)
{
	return x.high == y.high ? x.low < y.low : x.high < y.high;
}

/* n < 128 */
static inline struct sh_wide sh_wide_shl(struct sh_wide x, unsigned n)
{
	if (n == 0)
		return x;
	if (n >= 64)
		return (struct sh_wide){ x.low << (n - 64), 0 };
	return (struct sh_wide){ x.high << n | x.low >> (64 - n), x.low << n };
}

static inline struct sh_wide sh_wide_shr(struct sh_wide x, unsigned n)
{
	if (n == 0)
		return x;
	if (n >= 64)
		return sh_wide(x.high >> (n - 64));
	return (struct sh_wide){ x.high >> n, x.low >> n | x.high << (64 - n) };
}

/* Multiplies with products of 32 bits: the fallback of sh_wide_mul(). */
static inline struct sh_wide sh_wide_mul_slow(uint64_t x, uint64_t y)
{
	uint64_t a = x >> 32, b = x & UINT32_MAX, c = y >> 32, d = y & UINT32_MAX;
	uint64_t bd = b * d, ad = a * d, bc = b * c;
	uint64_t middle = (bd >> 32) + (ad & UINT32_MAX) + (bc & UINT32_MAX);

	return (struct sh_wide){ a * c + (ad >> 32) + (bc >> 32) + (middle >> 32),
		middle << 32 | (bd & UINT32_MAX) };
}

/* Returns the product of 128 bits. */
static inline struct sh_wide sh_wide_mul(uint64_t x, uint64_t y)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = (unsigned __int128)x * y;

	return (struct sh_wide){ (uint64_t)(product >> 64), (uint64_t)product };
#else
	return sh_wide_mul_slow(x, y);
#endif
}

/* Returns x * y modulo 2^128. */
static inline struct sh_wide sh_wide_scale(struct sh_wide x, uint64_t y)
{
	struct sh_wide product = sh_wide_mul(x.low, y);

	product.high += x.high * y;
	return product;
}

/* Returns the exclusive or of both halves of the product: for hashes. */
static inline uint64_t sh_wide_fold(uint64_t x, uint64_t y)
{
	struct sh_wide product = sh_wide_mul(x, y);

	return product.low ^ product.high;
}

/* Divides bit by bit: the fallback of sh_wide_div(). */
static inline uint64_t sh_wide_div_slow(struct sh_wide x, uint64_t y)
{
	uint64_t quotient = 0;

	for (unsigned i = 0; i < 64; i++) {
		bool carry = x.high >> 63;

		x = sh_wide_shl(x, 1);
		quotient <<= 1;
		if (carry || x.high >= y) {
			x.high -= y;
			quotient |= 1;
		}
	}
	return quotient;
}

/* Returns x / y, which must fit in 64 bits: x.high < y. */
static inline uint64_t sh_wide_div(struct sh_wide x, uint64_t y)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)(((unsigned __int128)x.high << 64 | x.low) / y);
#else
	return sh_wide_div_slow(x, y);
#endif
}

#endif
