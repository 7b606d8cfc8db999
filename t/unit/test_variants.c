/* SPDX-License-Identifier: MIT */
/* Every row of a table of variants gives the results of plain C; words are in
 * test_variants_words.c. */
#include "base/bytes.h"
#include "hash/hash.h"
#include "hash/keyed.h"
#include "hash/mix.h"
#include "io/newlines.h"
#include "io/source.h"
#include "tap.h"
#include "text_util.h"

/* ---- the default hash ------------------------------------------------------------------ */

enum { HASHES = 300, TEXT = HASHES + 64 };

static void test_mix(const struct sh_mix_kernel *mix)
{
	char text[TEXT + SH_PAD];
	uint32_t start[HASHES], end[HASHES];
	uint64_t got[HASHES + 1], h[HASHES + 1], guard = UINT64_C(0x5a5a5a5a);
	unsigned rounds = rng_rounds(3000), bad = 0, round;

	for (round = 0; round < rounds; round++) {
		uint64_t seed = round % 2 ? rng() : 0;
		size_t n = rng_below(round % 3 ? 20 : HASHES), width = 1 + round % 16, i, count;

		for (i = 0; i < sizeof text; i++)
			text[i] = (char)rng();
		for (i = 0; i < n; i++) {
			start[i] = (uint32_t)rng_below(HASHES);
			end[i] = start[i] + (uint32_t)rng_below(rng_below(20) ? 17 : 60);
		}
		/* In order and short, as of Chinese, as many as there is text for. */
		for (i = 1; i < n && round % 4 == 1 && end[i - 1] < HASHES; i++) {
			start[i] = end[i - 1] + (uint32_t)rng_below(2);
			end[i] = start[i] + (uint32_t)rng_below(rng_below(60) ? 5 : 19);
		}
		got[n] = guard; /* nothing is written behind the last */
		mix->tokens(text, start, end, n, seed, got);
		for (i = 0; i < n; i++)
			bad += got[i] !=
			       sh_mix_token(sh_slice(text + start[i], end[i] - start[i]), seed);
		bad += got[n] != guard;
		mix->windows(text, n, width, seed, got);
		for (i = 0; i < n; i++)
			bad += got[i] != sh_mix_token(sh_slice(text + i, width), seed);
		bad += got[n] != guard;
		for (i = 0; i < n; i++)
			h[i] = rng();
		width = 1 + rng_below(24);
		count = mix->ngrams(h, n, width, got);
		bad += count != (n < width ? 0 : n - width + 1);
		for (i = 0; i < count; i++)
			bad += got[i] != sh_mix_ngram(h + i, width);
		bad += got[n] != guard;
		mix->words(h, n, (unsigned)width, got);
		for (i = 0; i < n; i++)
			bad += got[i] != sh_mix_word(h[i], (unsigned)width);
		bad += got[n] != guard;
	}
	ok(!bad, "%s: hashes of tokens, windows of 1..16 bytes, 1- to 24-grams, words",
	    mix->variant.name);
}

/* ---- the keyed hash -------------------------------------------------------------------- */

/* As its header defines it, with a copy of the text. */
static uint64_t keyed_text(const struct sh_keyed *k, const char *p, size_t n)
{
	unsigned char bytes[SH_KEYED_SHORT] = { 0 };
	uint64_t sum[2];

	if (n > SH_KEYED_SHORT)
		return sh_keyed_text(k, sh_slice(p, n));
	memcpy(bytes, p, n);
	for (unsigned i = 0; i < 2; i++) {
		sum[i] = k->sum[i].text_first + n * k->sum[i].text[4];
		for (unsigned j = 0; j < SH_KEYED_SHORT; j++)
			sum[i] += ((uint64_t)bytes[j] << j % 4 * 8) * k->sum[i].text[j / 4];
	}
	return (sum[0] >> 32 << 32) | sum[1] >> 32;
}

static uint64_t keyed_row(const struct sh_keyed *k, const uint64_t *h, unsigned n)
{
	uint64_t sum[2];

	for (unsigned i = 0; i < 2; i++) {
		sum[i] = k->sum[i].row_first[n];
		for (unsigned j = 0; j < 2 * n; j++)
			sum[i] += (uint32_t)(h[j / 2] >> j % 2 * 32) * k->sum[i].row[j];
	}
	return (sum[0] >> 32 << 32) | sum[1] >> 32;
}

static void test_keyed(const struct sh_keyed_kernel *kernel)
{
	char text[TEXT + 200 + SH_KEYED_PADDING];
	uint32_t start[HASHES], end[HASHES];
	uint64_t got[HASHES + 1], h[HASHES], guard = UINT64_C(0x5a5a5a5a);
	unsigned rounds = rng_rounds(3000), bad = 0;

	for (unsigned round = 0; round < rounds; round++) {
		uint64_t key[2] = { rng(), rng() };
		size_t n = rng_below(round % 3 ? 20 : HASHES), i;
		unsigned width = 2 + round % (SH_KEYED_ROW_MAX - 1);
		struct sh_keyed k;

		sh_keyed_init(&k, key);
		for (i = 0; i < sizeof text; i++)
			text[i] = (char)rng();
		for (i = 0; i < n; i++) {
			start[i] = (uint32_t)rng_below(HASHES);
			end[i] = start[i] + (uint32_t)rng_below(rng_below(20) ? 17 : 200);
			h[i] = rng();
		}
		got[n] = guard;
		kernel->texts(&k, text, start, end, n, got);
		for (i = 0; i < n; i++)
			bad += got[i] != keyed_text(&k, text + start[i], end[i] - start[i]);
		bad += got[n] != guard;
		if (n < width)
			continue;
		got[n - width + 1] = guard;
		kernel->rows(&k, h, n, width, got);
		for (i = 0; i + width <= n; i++)
			bad += got[i] != keyed_row(&k, h + i, width);
		bad += got[n - width + 1] != guard;
	}
	ok(!bad, "%s: keyed hashes of texts up to 200 bytes, and of rows of 2 to 8",
	    kernel->variant.name);
}

/* ---- LFs -------------------------------------------------------------------------------- */

static void test_newlines(void)
{
	enum { MOST = 70000 };
	static char text[MOST];
	unsigned wrong = 0;

	for (unsigned round = 0; round < 1000; round++) {
		size_t n = round < 500 ? round : rng_below(round < 950 ? 3000 : MOST);
		char other = (char)(round % 7 ? '\n' ^ 1 << rng_below(8) : '\n');
		char *from = text + MOST - n;
		uint64_t want = 0;

		memset(text, '\n', MOST - n);
		for (size_t i = 0; i < n; i++) {
			from[i] = rng_below(3) ? other : '\n';
			want += from[i] == '\n';
		}
		wrong += sh_count_newlines(from, n) != want;
	}
	ok(!wrong, "LFs are counted as one by one");
}

int main(void)
{
	const struct sh_mix_kernel *mix;
	const struct sh_keyed_kernel *keyed;

	rng_init(4);
	for (unsigned i = 0; (mix = sh_mix_kernel_at(i)); i++)
		test_mix(mix);
	for (unsigned i = 0; (keyed = sh_keyed_kernel_at(i)); i++)
		test_keyed(keyed);
	test_newlines();
	return done_testing();
}
