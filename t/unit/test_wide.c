/* SPDX-License-Identifier: MIT */
/* Compares numbers of 128 bits with sums and products of decimal digits. Tests their order in each
 * form that a compiler may treat differently. */
#include "base/wide.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "rng.h"
#include "tap.h"

enum { CASES = 200000, DIGITS = 45 };

/* ---- decimals, the last digit first ---- */

struct decimal {
	unsigned char digit[2 * DIGITS];
};

static struct decimal decimal_add(struct decimal x, const struct decimal *y)
{
	unsigned carry = 0;

	for (unsigned i = 0; i < 2 * DIGITS; i++) {
		carry += x.digit[i] + y->digit[i];
		x.digit[i] = (unsigned char)(carry % 10);
		carry /= 10;
	}
	return x;
}

/* By doubling, bit by bit. */
static struct decimal decimal(struct sh_wide x)
{
	struct decimal d = { { 0 } }, one = { { 1 } };

	for (unsigned i = 0; i < 128; i++) {
		d = decimal_add(d, &d);
		if ((i < 64 ? x.high >> (63 - i) : x.low >> (127 - i)) & 1)
			d = decimal_add(d, &one);
	}
	return d;
}

static struct decimal decimal_mul(struct decimal x, uint64_t y)
{
	struct decimal product = { { 0 } };

	for (; y; y >>= 1) {
		if (y & 1)
			product = decimal_add(product, &x);
		x = decimal_add(x, &x);
	}
	return product;
}

static bool same(struct decimal x, struct decimal y)
{
	return memcmp(&x, &y, sizeof x) == 0;
}

/* ---- */

static struct sh_wide any(void)
{
	return sh_wide_shr((struct sh_wide){ rng_any(), rng() }, (unsigned)rng_below(128));
}

static void arithmetic(void)
{
	unsigned sums = 0, products = 0, shifts = 0, slow = 0, quotients = 0, folds = 0;

	for (unsigned i = 0; i < CASES / 100; i++) {
		struct sh_wide x = sh_wide_shr(any(), 1), y = sh_wide_shr(any(), 1);
		uint64_t a = rng_any(), b = rng_any() | 1;
		struct decimal d = decimal(y);

		d = decimal_add(decimal(x), &d);
		sums += !same(decimal(sh_wide_add(x, y)), d);
		products += !same(decimal(sh_wide_mul(a, b)), decimal_mul(decimal(sh_wide(a)), b));
	}
	for (unsigned i = 0; i < CASES; i++) {
		struct sh_wide x = any(), m, back;
		uint64_t a = rng_any(), b = rng_any() | 1, rest;
		unsigned n = (unsigned)rng_below(128);

		m = sh_wide_mul_slow(a, b);
		back = sh_wide_mul(a, b);
		slow += m.high != back.high || m.low != back.low;
		folds += sh_wide_fold(a, b) != (m.high ^ m.low);
		/* (b * a + rest) / b */
		rest = rng() % b;
		m = sh_wide_add(sh_wide_mul(a, b), sh_wide(rest));
		quotients += sh_wide_div(m, b) != a || sh_wide_div_slow(m, b) != a;
		/* n shifts by one */
		m = back = x;
		for (unsigned j = 0; j < n; j++) {
			m = sh_wide_add(m, m);
			back = (struct sh_wide){ back.high >> 1, back.low >> 1 | back.high << 63 };
		}
		x = sh_wide_shl(x, n);
		shifts += x.high != m.high || x.low != m.low;
	}
	ok(sums == 0 && products == 0, "sums and products as in decimals");
	ok(slow == 0 && folds == 0, "products of 64 bits out of products of 32");
	ok(quotients == 0, "quotients, both ways");
	ok(shifts == 0, "shifts are so many doublings");
}

/* Each use is inlined separately: a compiler's code for a comparison depends on the use of its
 * result. */
static unsigned wrong_orders(struct sh_wide x, struct sh_wide y, int want)
{
	unsigned wrong = 0;

	wrong += sh_wide_less(x, y) != (want < 0);
	wrong += !sh_wide_less(x, y) != (want >= 0);
	wrong += sh_wide_less(y, x) != (want > 0);
	wrong += !sh_wide_less(y, x) != (want <= 0);
	return wrong;
}

static unsigned wrong_compares(uint64_t x, uint64_t y, int want)
{
	unsigned wrong = 0;

	wrong += (sh_compare(x, y) < 0) != (want < 0);
	wrong += (sh_compare(x, y) >= 0) != (want >= 0);
	wrong += (sh_compare(x, y) > 0) != (want > 0);
	wrong += (sh_compare(x, y) <= 0) != (want <= 0);
	wrong += (sh_compare(x, y) == 0) != (want == 0);
	return wrong;
}

/* Numbers whose order is known by how they are listed. */
static void order(void)
{
	static const uint64_t word[] = { 0, 1, 2, INT32_MAX, UINT32_MAX, UINT64_C(1) << 32,
		INT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX };
	enum { WORDS = sizeof word / sizeof *word };
	unsigned wrong = 0, compares = 0;

	for (int i = 0; i < WORDS * WORDS; i++)
		for (int j = 0; j < WORDS * WORDS; j++)
			wrong += wrong_orders((struct sh_wide){ word[i / WORDS], word[i % WORDS] },
			    (struct sh_wide){ word[j / WORDS], word[j % WORDS] }, i - j);
	for (int i = 0; i < WORDS; i++)
		for (int j = 0; j < WORDS; j++)
			compares += wrong_compares(word[i], word[j], i - j);
	ok(wrong == 0, "%d pairs in order, whatever is asked of it", WORDS * WORDS * WORDS * WORDS);
	ok(compares == 0, "and of 64 bits");
}

int main(void)
{
	rng_init(128);
	arithmetic();
	order();
	return done_testing();
}
