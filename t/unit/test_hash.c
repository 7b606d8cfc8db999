/* SPDX-License-Identifier: MIT */
#include "published/published.h"

#include <inttypes.h>

#include "base/num.h"
#include "hash/mix.h"
#include "rng.h"
#include "tap.h"

/* Makes the i-th word. Words are distinct and have the lengths and letters of real words. */
static size_t make_word(uint64_t i, char *p)
{
	static const char *const syllables[] = { "ta", "ne", "ri", "lo", "su", "me", "ka", "di",
		"pre", "con", "ing", "er", "sh", "an", "th", "ou" };
	size_t n = 0;

	do {
		memcpy(p + n, syllables[i % 16], strlen(syllables[i % 16]));
		n += strlen(syllables[i % 16]);
		p[n++] = (char)('a' + i % 16); /* different numbers give different words */
		i /= 16;
	} while (i);
	return n;
}

/* Computes the hash of a token in three ways, each with other random bytes around the token. */
static void test_padding(void)
{
	char text[256];
	uint32_t start, end;
	uint64_t mixed, want, got, bad = 0;
	size_t i, j, n, at;

	for (i = 0; i < 100000; i++) {
		mixed = sh_mix_seed(i % 3 ? rng() : 0);
		n = rng_below(i % 10 ? 20 : 100);
		at = rng_below(100);
		for (j = 0; j < sizeof text; j++)
			text[j] = (char)rng();
		want = sh_mix_token(sh_slice(text + at, n), mixed);
		bad += want != sh_mix_token_padded(text + at, n, mixed);
		for (j = 0; j < sizeof text; j++)
			if (j < at || j >= at + n)
				text[j] = (char)rng();
		start = (uint32_t)at;
		end = (uint32_t)(at + n);
		sh_mix_tokens(text, &start, &end, 1, mixed, &got);
		bad += want != got;
	}
	ok(!bad, "bytes around a token do not change its hash, in 100000 cases");
}

static void test_ngrams(void)
{
	enum { MOST = 60 };
	char text[MOST * 32 + SH_MIX_PADDING];
	uint32_t start[MOST], end[MOST];
	uint64_t h[MOST], g[MOST], seed, bad = 0;
	size_t i, t, n, len, tokens, grams;

	for (t = 0; t < 10000; t++) {
		tokens = rng_below(MOST);
		n = 1 + rng_below(9);
		seed = rng_below(3);
		for (len = 0, i = 0; i < tokens; i++) {
			start[i] = (uint32_t)len;
			len += make_word(rng_below(70000), text + len);
			end[i] = (uint32_t)len;
			text[len++] = ' ';
		}
		memset(text + len, (int)t, SH_MIX_PADDING);
		sh_mix_tokens(text, start, end, tokens, sh_mix_seed(seed), h);
		grams = sh_mix_ngrams(h, tokens, n, g);
		bad += grams != (tokens < n ? 0 : tokens - n + 1);
		for (i = 0; i < grams; i++) {
			bad += g[i] != sh_mix_ngram(h + i, n);
			len = end[i + n - 1] - start[i];
			bad += g[i] != sh_mix_feature(sh_slice(text + start[i], len), seed);
		}
	}
	ok(!bad,
	    "hashes composed of tokens equal the hash of the text of the n-gram, 10000 documents, "
	    "n = 1..9");
}

/* t/vectors/mix.tsv: feature, seed, four words. */
static void test_frozen(void)
{
	FILE *f = fopen("t/vectors/mix.tsv", "r");
	const struct sh_hash *mix = sh_hash_find("mix");
	char line[4096], *text, *rest;
	uint64_t seed, want[4], got[4];
	int rows = 0, bad = 0, j;

	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		rest = line;
		text = strsep(&rest, "\t");
		bad += sh_parse_hex(sh_slice_str(strsep(&rest, "\t")), &seed) != 0;
		for (j = 0; j < 4; j++)
			bad += sh_parse_hex(sh_slice_str(strsep(&rest, "\t")), &want[j]) != 0;
		mix->feature(sh_slice_str(text), seed, 4, got);
		bad += memcmp(got, want, sizeof got) != 0;
		rows++;
	}
	ok(rows == 626 && !bad, "t/vectors/mix.tsv: %d of %d rows differ", bad, rows);
	if (f)
		fclose(f);
}

static void is(const char *name, uint64_t seed, const char *text, const char *want)
{
	unsigned digits = (unsigned)strlen(want);
	uint64_t w[SH_FP_MAX_WORDS];
	char got[SH_FP_MAX_BITS / 4];

	sh_hash_find(name)->feature(sh_slice_str(text), seed, SH_FP_WORDS(digits * 4), w);
	sh_print_hex(got, w, digits);
	ok(memcmp(got, want, digits) == 0, "%s of \"%s\", seed %" PRIu64 ": %s", name, text, seed,
	    want);
}

/* As md5sum and `xxhsum -H2`, `-H3` print them for the bytes that hash.h names. */
static void test_rows(void)
{
	is("md5", 0, "to be", "07062bb184376455");
	is("md5", 0, "to be", "07062bb184376455ae1ec5e5734caf06");
	is("md5", 0, "to be",
	    "07062bb184376455ae1ec5e5734caf06"
	    "7042ef346827cab37fe5f82e1ba18a17");
	is("md5", 258, "to be",
	    "f4583f9e9cb27a8410b15bc53cca3404"
	    "507829315436a2cba04b6ac726f01aef");
	is("xxh3", 0, "to be", "42614a56e07948c1");
	is("xxh3", 0, "to be", "457c15f99069f314b3adb1f7cf0c716f");
	is("xxh3", 0, "to be",
	    "457c15f99069f314b3adb1f7cf0c716f"
	    "96cbf81b286d7a6a781cd21c0637dea5");
	is("xxh3", 0, "", "2d06800538d394c2");
	is("xxh3", 0, "", "99aa06d3014798d86001c324468d497f");
}

static void test_contract(void)
{
	const struct sh_hash *row;
	uint64_t a[SH_FP_MAX_WORDS + 1], b[SH_FP_MAX_WORDS + 1];
	unsigned i, words, j, bad;

	for (i = 0; (row = sh_hash_at(i)); i++) {
		ok(sh_hash_find(row->name) == row, "the hash %s is found by its name", row->name);
		for (bad = 0, words = 1; words <= SH_FP_WORDS(row->max_bits); words++) {
			a[words] = 7;
			row->feature(sh_slice("some text", 9), 0, words, a);
			row->feature(sh_slice("some textual", 9), 0, words, b);
			bad += memcmp(a, b, words * 8) != 0 || a[words] != 7;
			row->feature(sh_slice("some text", 9), 1, words, b);
			for (j = 0; j < words; j++)
				bad += (a[j] == b[j]) != row->seedless || (j && a[j] == a[j - 1]);
		}
		ok(!bad, "%s fills its words alone, all different, %s by a seed", row->name,
		    row->seedless ? "not changed" : "all changed");
	}
	ok(i >= 3 && !sh_hash_find("md6") && !sh_hash_find(""),
	    "other names of hashes are not found");
}

int main(void)
{
	rng_init(1);
	test_frozen();
	test_rows();
	test_contract();
	test_padding();
	test_ngrams();
	return done_testing();
}
