/* SPDX-License-Identifier: MIT */
#include "weight/weight.h"

#include <inttypes.h>

#include "base/num.h"
#include "base/rows.h"
#include "base/wide.h"

/* Fixed point: a Qn number is a multiple of 2^-n. */

#define Q62(divisor) ((UINT64_C(1) << 62) / (divisor))
#define ONE_Q        ((uint64_t)1 << SH_LN_BITS)

static const uint64_t ln2_q64 = UINT64_C(0xb17217f7d1cf79ab);
static const uint64_t sqrt2_q63 = UINT64_C(0xb504f333f9de6484);

static uint64_t mul_q62(uint64_t a, uint64_t b)
{
	return sh_wide_shr(sh_wide_mul(a, b), 62).low;
}

/* Returns z + z^3/3 + z^5/5 + ... for z below 0.1716, in Q62. The terms left out are below
 * 2^-67. */
static uint64_t atanh_q62(uint64_t z)
{
	static const uint64_t odd[] = { Q62(1), Q62(3), Q62(5), Q62(7), Q62(9), Q62(11), Q62(13),
		Q62(15), Q62(17), Q62(19), Q62(21), Q62(23), Q62(25) };
	unsigned i = sizeof odd / sizeof *odd - 1;
	uint64_t square = mul_q62(z, z), sum = odd[i];

	while (i-- > 0)
		sum = odd[i] + mul_q62(square, sum);
	return mul_q62(z, sum);
}

/* x = 2^e * m with m in [sqrt(1/2), sqrt(2)); ln(m) = 2 atanh((m - 1) / (m + 1)). */
uint64_t sh_ln(uint64_t x)
{
	int zeros = __builtin_clzll(x);
	uint64_t m = x << zeros, above, sum, z;
	unsigned e = 63 - (unsigned)zeros;
	bool below = m > sqrt2_q63; /* m/2, which is below 1, then replaces m */

	/* above: |m - 1| in Q63, or 2 * |m - 1| if `below`. sum: m + 1 in the same way, divided by
	 * 4 to fit. */
	above = below ? -m : m - (UINT64_C(1) << 63);
	sum = (m >> 2) + (below ? UINT64_C(1) << 62 : UINT64_C(1) << 61);
	z = sh_wide_div(sh_wide_shl(sh_wide(above), 60), sum);
	z = atanh_q62(z) >> (62 - SH_LN_BITS - 1);
	x = sh_wide_shr(sh_wide_mul(ln2_q64, e + below), 64 - SH_LN_BITS).low;
	return below ? x - z : x + z;
}

static int too_large(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RANGE, "weight too large: more than 9223372036854.775807");
}

/* Stores x / 2^bits in millionths, rounded to the nearest, halves up; x < 2^127, bits <= 107. */
static int round_off(struct sh_wide x, unsigned bits, int64_t *weight, struct sh_error *err)
{
	struct sh_wide whole = sh_wide_shr(x, bits), part = sh_wide_shl(whole, bits);
	struct sh_wide half = sh_wide_shr(sh_wide_shl(sh_wide(1), bits), 1);
	uint64_t millionths;

	if (whole.high || whole.low > (uint64_t)(INT64_MAX / SH_WEIGHT_ONE))
		return too_large(err);
	part = (struct sh_wide){ x.high - part.high - (x.low < part.low), x.low - part.low };
	part = sh_wide_add(sh_wide_scale(part, (uint64_t)SH_WEIGHT_ONE), half);
	millionths = whole.low * (uint64_t)SH_WEIGHT_ONE + sh_wide_shr(part, bits).low;
	if (millionths > INT64_MAX)
		return too_large(err);
	*weight = (int64_t)millionths;
	return 0;
}

static int check_tf(const struct sh_term *t, struct sh_error *err)
{
	if (t->tf)
		return 0;
	return sh_error_set(err, SH_ERR_PARAM, "a feature that occurs 0 times has no weight");
}

/* Stores the idf with SH_LN_BITS fraction bits, from document frequencies. */
static int idf_of(const struct sh_term *t, uint64_t *idf, struct sh_error *err)
{
	uint64_t all, some;

	if (!t->df || t->df > t->docs)
		return sh_error_set(err, SH_ERR_PARAM,
		    "document frequency %" PRIu64 " is not within 1..%" PRIu64
		    ", the number of documents",
		    t->df, t->docs);
	all = sh_ln(t->docs);
	some = sh_ln(t->df);
	*idf = all > some ? all - some
			  : 0; /* beyond 2^53 the error of sh_ln() may exceed the difference */
	return 0;
}

static int check_given_idf(const struct sh_term *t, struct sh_error *err)
{
	if (t->idf >= 0)
		return 0;
	return sh_error_set(err, SH_ERR_PARAM, "a negative idf");
}

static int set(const struct sh_term *t, int64_t *weight, struct sh_error *err)
{
	*weight = SH_WEIGHT_ONE;
	return check_tf(t, err);
}

static int tf(const struct sh_term *t, int64_t *weight, struct sh_error *err)
{
	return check_tf(t, err) < 0 ? -1 : round_off(sh_wide(t->tf), 0, weight, err);
}

/* Stores tf / tokens, rounded to the nearest millionth, halves up, by the remainder of the
 * division. */
static int freq(const struct sh_term *t, int64_t *weight, struct sh_error *err)
{
	struct sh_wide x;
	uint64_t weighed, rest;

	if (check_tf(t, err) < 0)
		return -1;
	if (t->tf > t->tokens)
		return sh_error_set(err, SH_ERR_PARAM,
		    "a feature occurs %" PRIu64 " times in a document of %" PRIu64, t->tf,
		    t->tokens);
	x = sh_wide_mul(t->tf, (uint64_t)SH_WEIGHT_ONE);
	weighed = sh_wide_div(x, t->tokens);
	rest = x.low - weighed * t->tokens;
	*weight = (int64_t)(weighed + (rest >= t->tokens - rest));
	return 0;
}

static int log_tf(const struct sh_term *t, int64_t *weight, struct sh_error *err)
{
	if (check_tf(t, err) < 0)
		return -1;
	return round_off(sh_wide(ONE_Q + sh_ln(t->tf)), SH_LN_BITS, weight, err);
}

static int tfidf(const struct sh_term *t, int64_t *weight, struct sh_error *err)
{
	uint64_t idf = (uint64_t)t->idf;

	if (check_tf(t, err) < 0)
		return -1;
	if (t->docs) {
		if (idf_of(t, &idf, err) < 0)
			return -1;
		return round_off(sh_wide_mul(t->tf, idf), SH_LN_BITS, weight, err);
	}
	if (check_given_idf(t, err) < 0)
		return -1;
	if (idf && t->tf > (uint64_t)INT64_MAX / idf)
		return too_large(err);
	*weight = (int64_t)(t->tf * idf);
	return 0;
}

static int logidf(const struct sh_term *t, int64_t *weight, struct sh_error *err)
{
	uint64_t idf = (uint64_t)t->idf, local;
	struct sh_wide x;

	if (check_tf(t, err) < 0)
		return -1;
	local = ONE_Q + sh_ln(t->tf);
	if (t->docs) {
		if (idf_of(t, &idf, err) < 0)
			return -1;
		/* Q112 without 12 bits, so that the fraction times a million fits. */
		return round_off(
		    sh_wide_shr(sh_wide_mul(local, idf), 12), 2 * SH_LN_BITS - 12, weight, err);
	}
	if (check_given_idf(t, err) < 0)
		return -1;
	x = sh_wide_add(sh_wide_mul(local, idf), sh_wide(ONE_Q >> 1));
	x = sh_wide_shr(x, SH_LN_BITS);
	if (x.high || x.low > INT64_MAX)
		return too_large(err);
	*weight = (int64_t)x.low;
	return 0;
}

static const struct sh_scheme rows[] = {
	{ .name = "set", .weigh = set },
	{ .name = "tf", .weigh = tf, .additive = true },
	{ .name = "freq", .weigh = freq, .needs_tokens = true, .needs_count = true },
	{ .name = "log", .weigh = log_tf, .needs_count = true },
	{ .name = "tfidf", .weigh = tfidf, .needs_df = true, .needs_count = true },
	{ .name = "logidf", .weigh = logidf, .needs_df = true, .needs_count = true },
};

const struct sh_scheme *sh_scheme_at(unsigned i)
{
	return sh_row_at(SH_ROWS(rows), i);
}

const struct sh_scheme *sh_scheme_find(const char *name)
{
	return sh_row_find(SH_ROWS(rows), name);
}
