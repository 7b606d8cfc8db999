/* SPDX-License-Identifier: MIT */
#include "published/published.h"

#include <inttypes.h>

#include "base/num.h"
#include "hash/mix.h"
#include "rng.h"
#include "tap.h"

enum { MILLION = 1000000 };

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

static size_t make_number(uint64_t i, char *p)
{
	return sh_print_u64(p, i);
}

static size_t make_id(uint64_t i, char *p)
{
	memcpy(p, "document-", 9);
	return 9 + sh_print_u64(p + 9, i + 1000000);
}

/* A counter in each of the two words of the short path. */
static size_t make_two_counters(uint64_t i, char *p)
{
	sh_put_le64(p, UINT64_C(0x3030303030303030) + i % 1024);
	sh_put_le64(p + 8, i / 1024);
	return 16;
}

static size_t make_long(uint64_t i, char *p)
{
	memset(p, 'q', 48);
	sh_put_le64(p + i % 3 * 16, i * 3);
	return 48;
}

static const struct {
	const char *name;
	size_t (*make)(uint64_t i, char *p);
} kinds[] = {
	{ "words", make_word },
	{ "numbers", make_number },
	{ "numbered names", make_id },
	{ "pairs of counters", make_two_counters },
	{ "strings of 48 bytes", make_long },
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t equal_neighbours(uint64_t *h, size_t n)
{
	size_t i, same = 0;

	qsort(h, n, sizeof *h, by_value);
	for (i = 1; i < n; i++)
		same += h[i] == h[i - 1];
	return same;
}

/* Returns (distance / sigma) squared of the bit whose mean is farthest from 1/2. */
static double bias(const uint64_t *h, size_t n)
{
	uint32_t ones[64] = { 0 };
	double worst = 0, d;
	size_t i;
	int b;

	for (i = 0; i < n; i++)
		for (b = 0; b < 64; b++)
			ones[b] += (uint32_t)(h[i] >> b & 1);
	for (b = 0; b < 64; b++) {
		d = (double)ones[b] - (double)n / 2;
		if (d * d * 4 / (double)n > worst)
			worst = d * d * 4 / (double)n;
	}
	return worst;
}

/* The limit is 5 sigma. One of 1300 fair bits exceeds it in one of 1300 runs. */
static void test_bias_and_collisions(uint64_t *h, uint64_t *g)
{
	char p[128] = { 0 };
	double z;
	size_t i, k;
	unsigned j;

	for (k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		for (i = 0; i < MILLION; i++)
			h[i] = sh_mix_token_padded(p, kinds[k].make(i, p), 0);
		for (j = 0; j < 4; j++) {
			for (i = 0; i < MILLION; i++)
				g[i] = sh_mix_word(h[i], j);
			z = bias(g, MILLION);
			ok(z < 25,
			    "10^6 %s, word %u: the mean of the worst bit differs from 1/2 by "
			    "sqrt(%.1f) sigma",
			    kinds[k].name, j, z);
		}
		if (k == 0) {
			sh_mix_ngrams(h, MILLION, 3, g);
			z = bias(g, MILLION - 2);
			ok(z < 25,
			    "10^6 3-grams: the mean of the worst bit differs from 1/2 by "
			    "sqrt(%.1f) sigma",
			    z);
			ok(equal_neighbours(g, MILLION - 2) == 0, "no two of 10^6 3-grams collide");
		}
		ok(equal_neighbours(h, MILLION) == 0, "no two of 10^6 %s collide", kinds[k].name);
	}
}

/* Returns the largest difference of n flip rates from 1/2. */
static double worst_rate(const uint32_t *flips, size_t n, unsigned trials)
{
	double worst = 0, d;
	size_t i;

	for (i = 0; i < n; i++) {
		d = (double)flips[i] / trials - 0.5;
		if (d < 0)
			d = -d;
		if (d > worst)
			worst = d;
	}
	return worst;
}

static void count_flips(uint64_t d, uint32_t flips[64])
{
	int b;

	for (b = 0; b < 64; b++)
		flips[b] += (uint32_t)(d >> b & 1);
}

/* 0.1 is 6.3 sigma of 1000 trials. One or two letters have too few values for that
 * many, so there the seed is drawn as well. */
static void test_avalanche(void)
{
	enum { TRIALS = 1000, LENGTHS = 40 };
	static uint32_t flips[LENGTHS * 8][64];
	char p[LENGTHS + SH_MIX_PADDING] = { 0 };
	double worst;
	uint64_t h, seed = 0;
	size_t n, i, bit, t;

	for (n = 1; n <= LENGTHS; n++) {
		memset(flips, 0, sizeof flips);
		seed = 0;
		for (t = 0; t < TRIALS; t++) {
			for (i = 0; i < n; i++)
				p[i] = (char)('a' + rng_below(26));
			if (n <= 2)
				seed = rng();
			h = sh_mix_token_padded(p, n, seed);
			for (bit = 0; bit < n * 8; bit++) {
				p[bit / 8] = (char)(p[bit / 8] ^ 1 << bit % 8);
				count_flips(h ^ sh_mix_token_padded(p, n, seed), flips[bit]);
				p[bit / 8] = (char)(p[bit / 8] ^ 1 << bit % 8);
			}
		}
		worst = worst_rate(flips[0], n * 8 * 64, TRIALS);
		ok(worst < 0.1, "%zu bytes: each bit flips each bit, p = 0.5 +- %.3f", n, worst);
	}
}

/* 0.07 is 6.3 sigma of 2000 trials. */
static void test_ngram_avalanche(void)
{
	enum { TRIALS = 2000 };
	uint64_t h[5], d;
	uint32_t flips[5][64];
	double worst;
	size_t n, at, i;
	int t;

	for (n = 2; n <= 5; n++) {
		memset(flips, 0, sizeof flips);
		for (at = 0; at < n; at++)
			for (t = 0; t < TRIALS; t++) {
				for (i = 0; i < 5; i++)
					h[i] = rng();
				d = sh_mix_ngram(h, n);
				h[at] = rng();
				count_flips(d ^ sh_mix_ngram(h, n), flips[at]);
			}
		worst = worst_rate(flips[0], n * 64, TRIALS);
		ok(worst < 0.07,
		    "another token in a %zu-gram flips each bit of the hash, p = 0.5 +- %.3f", n,
		    worst);
	}
}

static void test_order(void)
{
	uint64_t h[2], r[2];
	char p[128] = { 0 };
	size_t i, same = 0;

	for (i = 0; i < 100000; i++) {
		h[0] = r[1] = sh_mix_token_padded(p, make_word(i, p), 0);
		h[1] = r[0] = sh_mix_token_padded(p, make_word(i + 1 + rng_below(99), p), 0);
		same += sh_mix_ngram(h, 2) == sh_mix_ngram(r, 2);
	}
	ok(same == 0, "hashes of \"a b\" and \"b a\" differ, in 100000 cases");
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
	uint64_t *h = calloc(MILLION, sizeof *h), *g = calloc(MILLION, sizeof *g);

	rng_init(1);
	if (!h || !g)
		return 1;
	test_frozen();
	test_rows();
	test_contract();
	test_padding();
	test_ngrams();
	test_order();
	test_bias_and_collisions(h, g);
	test_avalanche();
	test_ngram_avalanche();
	free(h);
	free(g);
	return done_testing();
}
