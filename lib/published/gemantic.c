/* SPDX-License-Identifier: MIT */
/* gemantic: a class in Java. */
#include "base/wide.h"
#include "published/rules.h"

static bool is_blank(uint32_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

int sh_cut_blanks(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	return sh_cut_runs(t, p, end, is_blank, err);
}

/* Computes x = (x * 1000003) ^ unit. x[0] is the least significant word. */
static void gemantic_step(uint64_t *x, unsigned words, uint32_t unit)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < words; i++) {
		struct sh_wide product = sh_wide_add(sh_wide_mul(x[i], 1000003), sh_wide(carry));

		x[i] = product.low;
		carry = product.high;
	}
	x[0] ^= unit;
}

/* Returns the end of the ill-formed sequence that begins at `from`; sh_utf8_next() returned p.
 * Java's decoder gives one U+FFFD for a whole encoded surrogate, complete or not. */
static const uint8_t *past_surrogate(const uint8_t *from, const uint8_t *p, const uint8_t *end)
{
	while (*from == 0xED && p < end && p - from < 3 && (*p & 0xC0) == 0x80)
		p++;
	return p;
}

void sh_hash_gemantic(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;
	uint64_t x[4] = { 0 };
	uint64_t units = 0;

	(void)seed;
	while (p < end) {
		const uint8_t *from = p;
		uint32_t c = sh_utf8_next(&p, end), unit[2] = { c, 0 };
		unsigned n = 1;

		if (c == SH_UTF8_ILL) {
			unit[0] = SH_UTF8_REPLACEMENT;
			p = past_surrogate(from, p, end);
		} else if (c >= 0x10000) {
			unit[0] = 0xD800 + ((c - 0x10000) >> 10);
			unit[1] = 0xDC00 + (c & 0x3FF);
			n = 2;
		}
		if (units == 0)
			x[0] = (uint64_t)unit[0] << 7;
		for (unsigned i = 0; i < n; i++)
			gemantic_step(x, words, unit[i]);
		units += n;
	}
	x[0] ^= units;
	for (unsigned i = 0; i < words; i++)
		out[i] = x[words - 1 - i];
}
