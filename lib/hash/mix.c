/* SPDX-License-Identifier: MIT */
#include "hash/mix.h"

/* Copies the last bytes, so that no byte beyond the token is read. */
uint64_t sh_mix_token(struct sh_slice token, uint64_t mixed_seed)
{
	char last[16] = { 0 };
	uint64_t acc = 0;
	size_t left = token.n;
	const char *p = token.p;

	for (; left > 16; left -= 16, p += 16)
		acc = sh_mix_moremur(acc ^ sh_mix_fold(sh_le64(p), sh_le64(p + 8)));
	if (left)
		memcpy(last, p, left);
	return sh_mix_last(acc, sh_le64(last), sh_le64(last + 8), token.n, mixed_seed);
}

void sh_mix_tokens(const char *text, const uint32_t *start, const uint32_t *end, size_t n,
    uint64_t mixed_seed, uint64_t *restrict h)
{
	size_t i;

	for (i = 0; i < n; i++)
		h[i] = sh_mix_token_padded(text + start[i], end[i] - start[i], mixed_seed);
}

/* A rolling hash, with K the factor of sh_mix_step(): c(i+1) = (c(i) - h(i) * K^(n-1)) * K +
 * h(i+n). It needs three multiplications per n-gram for any n. It is exact because
 * arithmetic is modulo 2^64. */
static void roll(const uint64_t *restrict h, size_t count, size_t n, uint64_t *restrict out)
{
	uint64_t c = h[0], power = 1;
	size_t i;

	for (i = 1; i < n; i++) {
		c = sh_mix_step(c, h[i]);
		power = sh_mix_step(power, 0);
	}
	out[0] = sh_mix_finish(c);
	for (i = 1; i < count; i++) {
		c = sh_mix_step(c - h[i - 1] * power, h[i + n - 1]);
		out[i] = sh_mix_finish(c);
	}
}

size_t sh_mix_ngrams(const uint64_t *restrict h, size_t tokens, size_t n, uint64_t *restrict out)
{
	size_t count = tokens < n ? 0 : tokens - n + 1, i;

	if (!count)
		return 0;
	/* For the usual n, no n-gram depends on another n-gram: the processor computes several at
	 * once. */
	switch (n) {
	case 1:
		memcpy(out, h, count * sizeof *h);
		break;
	case 2:
		for (i = 0; i < count; i++)
			out[i] = sh_mix_finish(sh_mix_step(h[i], h[i + 1]));
		break;
	case 3:
		for (i = 0; i < count; i++)
			out[i] = sh_mix_finish(sh_mix_step(sh_mix_step(h[i], h[i + 1]), h[i + 2]));
		break;
	default:
		roll(h, count, n, out);
	}
	return count;
}

uint64_t sh_mix_feature(struct sh_slice text, uint64_t seed)
{
	uint64_t mixed = sh_mix_seed(seed), c = 0;
	const char *p = text.p, *end = p + text.n, *space;
	size_t tokens = 0, n;

	for (;;) {
		space = p == end ? NULL : memchr(p, ' ', (size_t)(end - p));
		n = (size_t)((space ? space : end) - p);
		c = sh_mix_step(c, sh_mix_token(sh_slice(p, n), mixed));
		tokens++;
		if (!space)
			return tokens > 1 ? sh_mix_finish(c) : c;
		p = space + 1;
	}
}

/* ---- plain C ---- */

static void windows(
    const char *text, size_t n, size_t width, uint64_t mixed_seed, uint64_t *restrict h)
{
	uint64_t keep = width < 8 ? ((uint64_t)1 << 8 * width) - 1 : UINT64_MAX;

	if (width <= 8) { /* the second word is 0 and adds nothing */
		for (size_t i = 0; i < n; i++)
			h[i] = sh_mix_last(0, sh_le64(text + i) & keep, 0, width, mixed_seed);
		return;
	}
	for (size_t i = 0; i < n; i++)
		h[i] = sh_mix_token_padded(text + i, width, mixed_seed);
}

static void words(const uint64_t *restrict h, size_t n, unsigned j, uint64_t *restrict out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = sh_mix_word(h[i], j);
}

static const struct sh_mix_kernel plain = { { "plain", SH_NEEDS_NOTHING }, sh_mix_tokens, windows,
	sh_mix_ngrams, words };

#if defined(__x86_64__)

#include "hash/words_x86.h"

/* ---- AVX-512 -------------------------------------------------------------------------- */

/* Mixes eight words as sh_mix_moremur() does. */
static AVX512 inline words8 moremur8(words8 x)
{
	x = (x ^ x >> 27) * UINT64_C(0x3C79AC492BA7B653);
	x = (x ^ x >> 33) * UINT64_C(0x1C69B3F74AC4AE35);
	return x ^ x >> 27;
}

static AVX512 inline words8 fold8(words8 a, words8 b)
{
	b *= UINT64_C(0x9FB21C651E98DF25);
	return a ^ (b << 32 | b >> 32);
}

/* Hashes eight tokens. */
static AVX512 inline void block8(
    const char *text, const uint32_t *start, const uint32_t *end, uint64_t mixed_seed, uint64_t *h)
{
	unsigned beyond;
	words8 len = lengths8(start, end, &beyond), a, b;

	tokens8(text, start, len, &a, &b);
	store8(h, moremur8(fold8(a, b) ^ len * SH_MIX_GOLDEN ^ mixed_seed), 8);
	for (; beyond; beyond &= beyond - 1) { /* tokens of more than 16 bytes */
		unsigned at = (unsigned)__builtin_ctz(beyond);

		h[at] = sh_mix_token_padded(text + start[at], end[at] - start[at], mixed_seed);
	}
}

static AVX512 void tokens_avx512(const char *text, const uint32_t *start, const uint32_t *end,
    size_t n, uint64_t mixed_seed, uint64_t *restrict h)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		block8(text, start + i, end + i, mixed_seed, h + i);
	for (; i < n; i++)
		h[i] = sh_mix_token_padded(text + start[i], end[i] - start[i], mixed_seed);
}

static AVX512 void windows_avx512(
    const char *text, size_t n, size_t width, uint64_t mixed_seed, uint64_t *restrict h)
{
	const __m512i eight = _mm512_set1_epi64(0x0101010101010101);
	/* byte j of lane i: i + j */
	const __m512i index = _mm512_add_epi8(_mm512_set1_epi64(0x0706050403020100),
	    _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), eight));
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const __mmask64 low = ones * (width < 8 ? (1u << width) - 1 : 0xff);
	const __mmask64 high = ones * (width < 8 ? 0 : (1u << (width - 8)) - 1);
	const uint64_t seed = width * SH_MIX_GOLDEN ^ mixed_seed;

	for (size_t i = 0; i < n; i += 8) {
		__m512i v = _mm512_loadu_si512(text + i);
		words8 x = (words8)_mm512_maskz_permutexvar_epi8(low, index, v);

		if (width > 8)
			x = fold8(x, (words8)_mm512_maskz_permutexvar_epi8(
					 high, _mm512_add_epi8(index, _mm512_set1_epi8(8)), v));
		store8(h + i, moremur8(x ^ seed), n - i);
	}
}

static AVX512 size_t ngrams_avx512(
    const uint64_t *restrict h, size_t tokens, size_t n, uint64_t *restrict out)
{
	size_t count = tokens < n ? 0 : tokens - n + 1, i, j;

	/* n = 1: copies the hashes. n > 16: a rolling hash needs three multiplications an n-gram,
	 * for any n. The loop below needs n + 1 slower ones, of vectors, for eight n-grams. */
	if (n < 2 || n > 16)
		return sh_mix_ngrams(h, tokens, n, out);
	for (i = 0; i < count; i += 8) {
		words8 c = load8(h + i, count - i);

		for (j = 1; j < n; j++)
			c = c * UINT64_C(0xD6E8FEB86659FD93) + load8(h + i + j, count - i);
		c = (c ^ c >> 32) * UINT64_C(0xAEF17502108EF2D9);
		store8(out + i, c ^ c >> 29, count - i);
	}
	return count;
}

static AVX512 void hash_words_avx512(
    const uint64_t *restrict h, size_t n, unsigned j, uint64_t *restrict out)
{
	for (size_t i = 0; i < n; i += 8)
		store8(out + i, moremur8(load8(h + i, n - i) + j * SH_MIX_GOLDEN), n - i);
}

static const struct sh_mix_kernel avx512 = { { "avx512", WORDS_AVX512_NEEDS }, tokens_avx512,
	windows_avx512, ngrams_avx512, hash_words_avx512 };

#endif

/* ---- rows of variants ---------------------------------------------------------------- */

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__)
	&avx512.variant,
#endif
	&plain.variant,
};

const struct sh_mix_kernel *sh_mix_kernel_at(unsigned i)
{
	return (const struct sh_mix_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}
