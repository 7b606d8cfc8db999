/* SPDX-License-Identifier: MIT */
/* Compares sets of features of long documents with sorted strings of n-grams, for both hashes.
 * Counts over many keys of the keyed hash how often similar texts and rows agree in some bits. */
#include "fp/analysis.h"
#include "published/published.h"

#include "hash/keyed.h"
#include "match/measure.h"
#include "tap.h"
#include "text_util.h"

enum { WORDS_MAX = 6000, TEXT_MAX = 12 * WORDS_MAX };

static struct sh_error err;

/* ---- sets -------------------------------------------------------------------------------- */

struct strings {
	struct sh_slice *s; /* sorted, distinct */
	uint32_t *count;
	size_t n, all;
	char *text;
};

static int by_bytes(const void *a, const void *b)
{
	const struct sh_slice *x = a, *y = b;
	int c = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);

	return c ? c : (x->n > y->n) - (x->n < y->n);
}

/* Makes the n-grams of a text as strings, by the layout of the tokenizer. */
static void collect(struct strings *to, const struct sh_token_opts *opts, struct sh_ngrams ngrams,
    struct sh_slice text)
{
	struct sh_tokenizer *t = sh_tokenizer_new(opts, &err);
	struct sh_tokens tokens;
	struct sh_ngrams range;
	size_t n = 0;

	must(t && sh_tokenize(t, text, &tokens, &err) == 0);
	range = sh_ngrams_of(ngrams, tokens.n);
	to->text = malloc(tokens.n ? tokens.end[tokens.n - 1] : 1);
	to->s = malloc((tokens.n * 8 + 1) * sizeof *to->s);
	to->count = malloc((tokens.n * 8 + 1) * sizeof *to->count);
	must(to->text && to->s && to->count);
	if (tokens.n)
		memcpy(to->text, tokens.text, tokens.end[tokens.n - 1]);
	tokens.text = to->text;
	for (unsigned k = 1; k <= sh_ngrams_lead(range); k++)
		to->s[n++] = sh_ngram_text(&tokens, 0, k);
	for (unsigned k = range.min; k && k <= range.max; k++)
		for (size_t i = 0; i + k <= tokens.n; i++)
			to->s[n++] = sh_ngram_text(&tokens, i, k);
	qsort(to->s, n, sizeof *to->s, by_bytes);
	to->all = n;
	to->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !sh_slice_eq(to->s[i], to->s[to->n - 1])) {
			to->s[to->n] = to->s[i];
			to->count[to->n++] = 0;
		}
		to->count[to->n - 1]++;
	}
	sh_tokenizer_delete(t);
}

static void discard(struct strings *s)
{
	free(s->text);
	free(s->s);
	free(s->count);
}

static size_t common_strings(const struct strings *x, const struct strings *y)
{
	size_t n = 0;

	for (size_t i = 0, j = 0; i < x->n && j < y->n;) {
		int c = by_bytes(&x->s[i], &y->s[j]);

		n += c == 0;
		i += c <= 0;
		j += c >= 0;
	}
	return n;
}

static int by_count(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Returns whether the set is in order, with the counts of the strings. */
static bool is_set_of(const struct sh_feature_set *set, const struct strings *want)
{
	uint32_t *got = malloc((set->n + 1) * sizeof *got), *counts;
	bool good = set->n == want->n;

	counts = malloc((want->n + 1) * sizeof *counts);
	must(got && counts);
	for (size_t i = 0; i < set->n; i++) {
		good = good && (i == 0 || set->hash[i - 1] < set->hash[i]);
		got[i] = set->count[i];
	}
	memcpy(counts, want->count, want->n * sizeof *counts);
	qsort(got, set->n, sizeof *got, by_count);
	qsort(counts, want->n, sizeof *counts, by_count);
	good = good && memcmp(got, counts, want->n * sizeof *got) == 0;
	free(got);
	free(counts);
	return good;
}

/* Words from a vocabulary: short ones, numbers, some beyond 16 and some beyond 128 bytes,
 * others. */
static size_t write_words(char *to, size_t words, uint64_t vocabulary)
{
	static const char *const others[] = { "\u00e9t\u00e9", "\u6c49", "\u5b57", "_", "\\n",
		"\u0444\u0443\u043d\u043a\u0446\u0438\u043e\u043d\u0430\u043b" };
	size_t n = 0;

	for (size_t i = 0; i < words && n + 250 < TEXT_MAX; i++) {
		uint64_t w = rng_below(vocabulary);

		if (w % 50 == 49)
			n += (size_t)sprintf(to + n, "%s ", others[w / 50 % 6]);
		else if (w % 200 == 7)
			n += (size_t)sprintf(to + n, "%0200llu ", (unsigned long long)w);
		else if (w % 20 == 8)
			n += (size_t)sprintf(to + n, "long%018llu ", (unsigned long long)w);
		else
			n += (size_t)sprintf(to + n, "%llx ", (unsigned long long)(w * w));
	}
	return n;
}

/* Makes a second text that has most words of the first. */
static size_t edit(char *to, const char *from, size_t n, uint64_t vocabulary)
{
	size_t cut = n ? rng_below(n) : 0, added;

	cut = n && rng_below(4) ? n - cut / 8 : cut;
	memcpy(to, from, cut);
	added = write_words(to + cut, rng_below(30), vocabulary);
	return cut + added;
}

static struct sh_weighed_set copy_of(const struct sh_feature_set *set)
{
	uint64_t *hash = malloc((set->n + 1) * sizeof *hash);

	must(hash != NULL);
	if (set->n)
		memcpy(hash, set->hash, set->n * sizeof *hash);
	return (struct sh_weighed_set){ .hash = hash, .n = set->n };
}

static unsigned wrong_sets(
    struct sh_analyser *f, const struct sh_slice *text, const struct strings *want, size_t common)
{
	struct sh_analysis x;
	struct sh_weighed_set a, b;
	struct sh_similarity s;
	unsigned wrong = 0;

	must(sh_analyse(f, text[0], &x, &err) == 0);
	wrong += !is_set_of(&x.set, &want[0]);
	a = copy_of(&x.set);
	must(sh_analyse(f, text[1], &x, &err) == 0);
	wrong += !is_set_of(&x.set, &want[1]);
	b = copy_of(&x.set);
	sh_measure_find("jaccard")->compare(&a, &b, &s);
	wrong += s.num.low != common;
	sh_measure_find("containment")->compare(&b, &a, &s);
	wrong += s.num.low != common;
	free((void *)(uintptr_t)a.hash);
	free((void *)(uintptr_t)b.hash);
	return wrong;
}

static void test_sets(void)
{
	static char x[TEXT_MAX + 64], y[2 * TEXT_MAX + 64];
	static const struct sh_ngrams ranges[] = { { 3, 3, false }, { 1, 1, false },
		{ 1, 3, false }, { 2, 8, false }, { 9, 10, false }, { 3, 3, true },
		{ 8, 8, false } };
	unsigned wrong = 0, rounds = 300;

	for (unsigned round = 0; round < rounds; round++) {
		struct sh_token_opts opts = { .unit = round % 5 == 4 ? SH_UNIT_CHAR : SH_UNIT_WORD,
			.raw = round % 2 };
		struct sh_ngrams range = ranges[round % 7];
		uint64_t vocabulary = 1 + (rng() >> (48 + rng_below(15)));
		size_t words = rng_below(1 + ((uint64_t)WORDS_MAX >> rng_below(12)));
		struct sh_feature_opts o = {
			.token = opts, .ngrams = range, .key = { rng(), rng() }
		};
		struct sh_analyser f;
		struct sh_slice text[2];
		struct strings want[2];
		size_t common;

		words /= opts.unit == SH_UNIT_CHAR ? 8 : 1;
		text[0] = sh_slice(x, write_words(x, words, vocabulary));
		text[1] = sh_slice(y, edit(y, x, text[0].n, vocabulary));
		for (unsigned i = 0; i < 2; i++)
			collect(&want[i], &opts, range, text[i]);
		common = common_strings(&want[0], &want[1]);
		must(sh_analyser_init(&f, NULL, &o, &err) == 0);
		wrong += wrong_sets(&f, text, want, common);
		sh_analyser_free(&f);
		discard(&want[0]);
		discard(&want[1]);
	}
	ok(wrong == 0,
	    "%u pairs of documents: sets, counts and common features equal the same of sorted "
	    "strings",
	    rounds);
}

/* ---- one analysis ------------------------------------------------------------------------- */

/* Compares the fingerprint and set of one analysis with the results of two analyses. */
static bool agree(const struct sh_fingerprint_opts *o, const struct sh_feature_opts *features,
    struct sh_slice text)
{
	struct sh_analyser both, fp, set;
	struct sh_analysis x, y, z;
	bool same;

	must(sh_analyser_init(&both, o, features, &err) == 0 &&
	     sh_analyser_init(&fp, o, NULL, &err) == 0 &&
	     sh_analyser_init(&set, NULL, features, &err) == 0);
	must(sh_analyse(&both, text, &x, &err) == 0 && sh_analyse(&fp, text, &y, &err) == 0 &&
	     sh_analyse(&set, text, &z, &err) == 0);
	same = x.fp.empty == y.fp.empty && x.fp.features == y.fp.features && x.set.n == z.set.n &&
	       x.set.n_ordered == z.set.n_ordered && x.bad_utf8 == y.bad_utf8 &&
	       x.bad_utf8 == z.bad_utf8;
	if (same && !x.fp.empty)
		same = memcmp(x.fp.w, y.fp.w, SH_FP_WORDS(o->bits) * sizeof *x.fp.w) == 0;
	if (same && x.set.n)
		same = memcmp(x.set.hash, z.set.hash, x.set.n * sizeof *x.set.hash) == 0;
	sh_analyser_free(&both);
	sh_analyser_free(&fp);
	sh_analyser_free(&set);
	return same;
}

static void test_analysis(void)
{
	static char x[TEXT_MAX + 64];
	unsigned wrong = 0, rounds = 200;

	for (unsigned round = 0; round < rounds; round++) {
		const struct sh_ngrams range = { 1 + round % 3, 3, round % 7 == 0,
			round % 11 == 0 };
		const struct sh_fingerprint_opts o = {
			.token = { .unit = round % 5 ? SH_UNIT_WORD : SH_UNIT_CHAR },
			.ngrams = range,
			.hash = sh_hash_find(round % 2 ? "mix" : "md5"),
			.scheme = sh_scheme_at(0),
			.bits = 64,
		};
		const struct sh_feature_opts features = { .token = o.token,
			.ngrams = range,
			.of_tokens = round % 3 == 0,
			.key = { rng(), rng() } };

		wrong += !agree(&o, &features, sh_slice(x, write_words(x, rng_below(300), 500)));
	}
	ok(wrong == 0, "%u texts: one analysis gives the fingerprint and set of two analyses",
	    rounds);
}

/* ---- the hash ---------------------------------------------------------------------------- */

enum { KEYS = 20000 };

/* Counts, over many keys, how often 8 bits of two hashes agree at the low end, the high end and the
 * middle: 1/256 of them, within six deviations. */
static bool agree_by_chance(const unsigned *agree)
{
	bool good = true;

	for (unsigned i = 0; i < 8; i++)
		good = good && agree[i] > KEYS / 256 - 54 && agree[i] < KEYS / 256 + 54;
	return good;
}

static void compare_bytes(unsigned *agree, uint64_t x, uint64_t y)
{
	for (unsigned i = 0; i < 8; i++)
		agree[i] += ((x ^ y) >> 8 * i & 255) == 0;
}

static void test_texts(void)
{
	static const char *const pairs[][2] = { { "a", "b" }, { "a", "a\1" }, { "", "\200" },
		{ "abcd", "abcd\1" }, { "abcdefgh", "\341bcdefgh" }, { "abcdefghi", "abcdefghj" },
		{ "0123456789abcdef", "0123456789abcdEf" },
		{ "0123456789abcdef", "0123456789abcdef0" },
		{ "a text longer than sixteen", "a text longer than sixteem" } };
	unsigned bad = 0;

	for (unsigned p = 0; p < sizeof pairs / sizeof *pairs; p++) {
		unsigned agree[8] = { 0 };

		for (unsigned i = 0; i < KEYS; i++) {
			uint64_t key[2] = { rng(), i }, h[2];
			struct sh_keyed k;
			char text[2][64] = { { 0 } };

			sh_keyed_init(&k, key);
			for (unsigned j = 0; j < 2; j++) {
				const uint32_t start = 0, end = (uint32_t)strlen(pairs[p][j]);

				memcpy(text[j], pairs[p][j], end);
				sh_keyed_plain.texts(&k, text[j], &start, &end, 1, &h[j]);
			}
			compare_bytes(agree, h[0], h[1]);
		}
		if (!agree_by_chance(agree)) {
			printf("# '%s' and '%s'\n", pairs[p][0], pairs[p][1]);
			bad++;
		}
	}
	ok(bad == 0, "hashes of similar texts agree as often as random hashes, in every byte");
}

/* Rows that differ in one bit of one hash, and rows of 2 and 3 hashes with two in common. */
static void test_rows(void)
{
	unsigned bit[8] = { 0 }, longer[8] = { 0 };

	for (unsigned i = 0; i < KEYS; i++) {
		uint64_t key[2] = { rng(), i }, h[4] = { rng(), rng(), 0, 0 }, x[3];
		struct sh_keyed k;

		sh_keyed_init(&k, key);
		sh_keyed_plain.rows(&k, h, 3, 3, &x[0]);
		sh_keyed_plain.rows(&k, h, 2, 2, &x[1]);
		compare_bytes(longer, x[0], x[1]);
		h[i % 3] ^= UINT64_C(1) << i / 3 % 64;
		sh_keyed_plain.rows(&k, h, 3, 3, &x[2]);
		compare_bytes(bit, x[0], x[2]);
	}
	ok(agree_by_chance(bit),
	    "keys of rows that differ in one bit agree as often as random hashes");
	ok(agree_by_chance(longer),
	    "keys of rows that contain each other, and of zeros, agree as often as random hashes");
}

/* Hashes in archives must not change. */
static void test_frozen(void)
{
	static const char *const texts[] = { "", "a", "of the people", "0123456789abcdef",
		"\xe4\xb8\xad\xe5\x9b\xbd" };
	static const uint64_t want[] = { UINT64_C(0x31da6fcba3db23c0), UINT64_C(0xc91a84ea9321b7f0),
		UINT64_C(0x987111297792f02d), UINT64_C(0x751f14714daff6f4),
		UINT64_C(0xb49777ed3b6ee88c), UINT64_C(0x0cbe17a635aad516),
		UINT64_C(0x1488e2e5f62244b2) };
	const uint64_t key[2] = { 1, 2 };
	struct sh_keyed k;
	char text[300];
	bool good = true;

	sh_keyed_init(&k, key);
	for (unsigned i = 0; i < 7; i++) {
		size_t n = i < 5 ? strlen(texts[i]) : i == 5 ? 100 : 200;

		memset(text, 'x', sizeof text);
		memcpy(text, i < 5 ? texts[i] : text, i < 5 ? n : 0);
		if (sh_keyed_text(&k, sh_slice(text, n)) != want[i]) {
			printf("# %u: 0x%llx\n", i,
			    (unsigned long long)sh_keyed_text(&k, sh_slice(text, n)));
			good = false;
		}
	}
	ok(good, "the hash of archives is that of all versions");
}

int main(void)
{
	rng_init(62);
	test_sets();
	test_analysis();
	test_texts();
	test_rows();
	test_frozen();
	return done_testing();
}
