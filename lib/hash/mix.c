#include "hash/mix.h"

#include "hash/mix_kernel.h"

/* The last bytes are copied, so that nothing beyond the slice is read. */
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

/* c(i+1) = (c(i) - h(i) * step^(n-1)) * step + h(i+n): three multiplications an n-gram for any
 * n, exact because it is modulo 2^64. */
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
	switch (n) { /* the usual n: no n-gram depends on the one before */
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

/* ---- rows of variants ---------------------------------------------------------------- */

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__)
	&sh_mix_avx512.variant,
	&sh_mix_avx2.variant,
#endif
	&sh_mix_plain.variant,
};

const struct sh_mix_kernel *sh_mix_kernel_at(unsigned i)
{
	return (const struct sh_mix_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}

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

void sh_mix_words_plain(const uint64_t *restrict h, size_t n, unsigned j, uint64_t *restrict out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = sh_mix_word(h[i], j);
}

const struct sh_mix_kernel sh_mix_plain = { { "plain", SH_NEEDS_NOTHING }, sh_mix_tokens, windows,
	sh_mix_ngrams, sh_mix_words_plain };
