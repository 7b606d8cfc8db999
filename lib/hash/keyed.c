/* SPDX-License-Identifier: MIT */
#include "hash/keyed.h"

#include <string.h>

#include "base/bytes.h"
#include "base/siphash.h"
#include "hash/mix.h"

/* Returns the next factor or first term: SipHash of the numbers 0, 1, ... */
static uint64_t next_factor(const struct sh_keyed *k, uint64_t *number)
{
	char bytes[sizeof *number];

	sh_put_le64(bytes, (*number)++);
	return sh_siphash(k->key, bytes, sizeof bytes);
}

static void make_sum(struct sh_keyed *k, struct sh_keyed_sum *s, uint64_t *number)
{
	for (unsigned i = 0; i < SH_KEYED_PARTS; i++)
		s->text[i] = next_factor(k, number);
	s->text_first = next_factor(k, number);
	for (unsigned i = 0; i < 2 * SH_KEYED_ROW_MAX; i++)
		s->row[i] = next_factor(k, number);
	for (unsigned i = 0; i <= SH_KEYED_ROW_MAX; i++)
		s->row_first[i] = next_factor(k, number);
}

void sh_keyed_init(struct sh_keyed *k, const uint64_t key[2])
{
	uint64_t number = 0;

	memcpy(k->key, key, sizeof k->key);
	for (unsigned i = 0; i < SH_KEYED_WORDS + 2; i++) {
		k->wide[i].low = next_factor(k, &number);
		k->wide[i].high = next_factor(k, &number);
	}
	make_sum(k, &k->sum[0], &number);
	make_sum(k, &k->sum[1], &number);
}

uint64_t sh_keyed_text(const struct sh_keyed *k, struct sh_slice s)
{
	const struct sh_wide *w = k->wide;
	struct sh_wide sum =
	    sh_wide_add(sh_wide_scale(w[SH_KEYED_WORDS], s.n), w[SH_KEYED_WORDS + 1]);
	size_t i = 0;

	if (s.n > SH_KEYED_WORDS * 8)
		return sh_siphash(k->key, s.p, s.n);
	for (; 8 * i + 8 <= s.n; i++)
		sum = sh_wide_add(sum, sh_wide_scale(w[i], sh_le64(s.p + 8 * i)));
	if (s.n % 8)
		sum = sh_wide_add(sum,
		    sh_wide_scale(w[i], sh_le64(s.p + 8 * i) & (UINT64_MAX >> (64 - s.n % 8 * 8))));
	return sum.high;
}

static void texts(const struct sh_keyed *k, const char *text, const uint32_t *start,
    const uint32_t *end, size_t n, uint64_t *restrict h)
{
	for (size_t i = 0; i < n; i++) {
		size_t bytes = end[i] - start[i];
		uint64_t a, b;

		if (bytes > SH_KEYED_SHORT) {
			h[i] = sh_keyed_text(k, sh_slice(text + start[i], bytes));
			continue;
		}
		sh_mix_words(text + start[i], bytes, &a, &b);
		h[i] = sh_keyed_short(k, a, b, bytes);
	}
}

static void rows(const struct sh_keyed *k, const uint64_t *restrict h, size_t hashes, unsigned n,
    uint64_t *restrict out)
{
	for (size_t i = 0; i + n <= hashes; i++)
		out[i] = sh_keyed_row(k, h + i, n);
}

const struct sh_keyed_kernel sh_keyed_plain = { { "plain", SH_NEEDS_NOTHING }, texts, rows };

/* ---- AVX-512, eight texts or rows at once. AVX2 is no faster than plain C ---- */

#if defined(__x86_64__)

#include "hash/words_x86.h"

/* Adds the halves of x, each times its factor, to a sum. */
static AVX512 inline words8 add_halves8(words8 sum, words8 x, const uint64_t factor[2])
{
	return sum + (x & UINT32_MAX) * factor[0] + (x >> 32) * factor[1];
}

static AVX512 inline words8 upper_halves8(words8 a, words8 b)
{
	return (a & ~(uint64_t)UINT32_MAX) | b >> 32;
}

static AVX512 void texts_avx512(const struct sh_keyed *k, const char *text, const uint32_t *start,
    const uint32_t *end, size_t n, uint64_t *restrict h)
{
	size_t i;

	for (i = 0; i + 8 <= n; i += 8) {
		unsigned beyond;
		words8 len = lengths8(start + i, end + i, &beyond), x, y, sum[2];

		tokens8(text, start + i, len, &x, &y);
		for (unsigned j = 0; j < 2; j++) {
			const struct sh_keyed_sum *s = &k->sum[j];

			sum[j] = add_halves8(len * s->text[4] + s->text_first, x, s->text);
			sum[j] = add_halves8(sum[j], y, s->text + 2);
		}
		store8(h + i, upper_halves8(sum[0], sum[1]), 8);
		for (; beyond; beyond &= beyond - 1) {
			size_t at = i + (unsigned)__builtin_ctz(beyond);

			h[at] = sh_keyed_text(k, sh_slice(text + start[at], end[at] - start[at]));
		}
	}
	texts(k, text, start + i, end + i, n - i, h + i);
}

static AVX512 void rows_avx512(const struct sh_keyed *k, const uint64_t *restrict h, size_t hashes,
    unsigned n, uint64_t *restrict out)
{
	const struct sh_keyed_sum *s = k->sum;
	size_t count = hashes - n + 1;

	for (size_t i = 0; i < count; i += 8) {
		words8 a = (words8){ 0 } + s[0].row_first[n], b = (words8){ 0 } + s[1].row_first[n];

		for (unsigned j = 0; j < n; j++) {
			words8 x = load8(h + i + j, count - i);

			a = add_halves8(a, x, s[0].row + 2 * j);
			b = add_halves8(b, x, s[1].row + 2 * j);
		}
		store8(out + i, upper_halves8(a, b), count - i);
	}
}

static const struct sh_keyed_kernel avx512 = { { "avx512", WORDS_AVX512_NEEDS }, texts_avx512,
	rows_avx512 };

#endif

static const struct sh_variant *const variants[] = {
#if defined(__x86_64__)
	&avx512.variant,
#endif
	&sh_keyed_plain.variant,
};

const struct sh_keyed_kernel *sh_keyed_kernel_at(unsigned i)
{
	return (const struct sh_keyed_kernel *)sh_variant_at(
	    variants, sizeof variants / sizeof *variants, i);
}
