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

static inline uint64_t long_text(
    const struct sh_keyed *k, const char *text, uint32_t start, uint32_t end)
{
	return sh_keyed_text(k, sh_slice(text + start, end - start));
}

struct sums8 {
	__m512i a, b;
};

static AVX512 inline __m512i product8(__m512i x, uint64_t key)
{
	return _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)key));
}

/* Adds both halves of x, each times its factor, to both sums. */
static AVX512 inline struct sums8 add_halves8(
    struct sums8 to, __m512i x, const uint64_t *a, const uint64_t *b)
{
	__m512i low = _mm512_and_si512(x, _mm512_set1_epi64(UINT32_MAX));
	__m512i high = _mm512_srli_epi64(x, 32);

	to.a = _mm512_add_epi64(to.a, _mm512_add_epi64(product8(low, a[0]), product8(high, a[1])));
	to.b = _mm512_add_epi64(to.b, _mm512_add_epi64(product8(low, b[0]), product8(high, b[1])));
	return to;
}

static AVX512 inline struct sums8 first8(uint64_t a, uint64_t b)
{
	return (struct sums8){ _mm512_set1_epi64((long long)a), _mm512_set1_epi64((long long)b) };
}

static AVX512 inline __m512i upper_halves8(struct sums8 s)
{
	return _mm512_or_si512(
	    _mm512_andnot_si512(_mm512_set1_epi64(UINT32_MAX), s.a), _mm512_srli_epi64(s.b, 32));
}

static AVX512 void texts_avx512(const struct sh_keyed *k, const char *text, const uint32_t *start,
    const uint32_t *end, size_t n, uint64_t *restrict h)
{
	const struct sh_keyed_sum *s = k->sum;
	size_t i;

	for (i = 0; i + 8 <= n; i += 8) {
		struct sums8 sum = first8(s[0].text_first, s[1].text_first);
		unsigned beyond;
		__m512i len = lengths8(start + i, end + i, &beyond), x, y;

		words8(text, start + i, len, &x, &y);
		sum = add_halves8(sum, x, s[0].text, s[1].text);
		sum = add_halves8(sum, y, s[0].text + 2, s[1].text + 2);
		sum.a = _mm512_add_epi64(sum.a, product8(len, s[0].text[4]));
		sum.b = _mm512_add_epi64(sum.b, product8(len, s[1].text[4]));
		_mm512_storeu_si512(h + i, upper_halves8(sum));
		for (; beyond; beyond &= beyond - 1) {
			size_t at = i + (unsigned)__builtin_ctz(beyond);

			h[at] = long_text(k, text, start[at], end[at]);
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
		struct sums8 sum = first8(s[0].row_first[n], s[1].row_first[n]);
		__mmask8 part = first(count - i);

		for (unsigned j = 0; j < n; j++)
			sum = add_halves8(sum, _mm512_maskz_loadu_epi64(part, h + i + j),
			    s[0].row + 2 * j, s[1].row + 2 * j);
		_mm512_mask_storeu_epi64(out + i, part, upper_halves8(sum));
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
