/* SPDX-License-Identifier: MIT */
/* Unsigned integers of 128 bits, modulo 2^128. Compilers for 32-bit machines have no such type. */
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

/* Shifts x left or right by n bits, n < 128. */
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

/* The fallback of sh_wide_mul(): adds products of 32-bit halves. */
static inline struct sh_wide sh_wide_mul_slow(uint64_t x, uint64_t y)
{
	uint64_t a = x >> 32, b = x & UINT32_MAX, c = y >> 32, d = y & UINT32_MAX;
	uint64_t bd = b * d, ad = a * d, bc = b * c;
	uint64_t middle = (bd >> 32) + (ad & UINT32_MAX) + (bc & UINT32_MAX);

	return (struct sh_wide){ a * c + (ad >> 32) + (bc >> 32) + (middle >> 32),
		middle << 32 | (bd & UINT32_MAX) };
}

/* Returns x * y, which always fits. */
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

/* Returns the exclusive or of the two halves of x * y, for hashes. */
static inline uint64_t sh_wide_fold(uint64_t x, uint64_t y)
{
	struct sh_wide product = sh_wide_mul(x, y);

	return product.low ^ product.high;
}

/* The fallback of sh_wide_div(): divides bit by bit. */
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

/* Returns x / y. x.high must be less than y, so that the quotient fits in 64 bits. */
static inline uint64_t sh_wide_div(struct sh_wide x, uint64_t y)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)(((unsigned __int128)x.high << 64 | x.low) / y);
#else
	return sh_wide_div_slow(x, y);
#endif
}

#endif
