/* SPDX-License-Identifier: MIT */
/* Compares similarities of random texts with sets of strings, and similarities as numbers with long
 * double. */
#include "match/comparer.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "fp/features.h"
#include "rng.h"
#include "scratch.h"
#include "tap.h"

/* Of the longest texts some repeat a word more often than the verifier keeps weights of counts
 * for. */
enum {
	DOCS = 60,
	SHORT = 30,
	WORDS_MAX = 160,
	TEXT_MAX = 8 * WORDS_MAX + 1,
	GRAMS_MAX = 3 * WORDS_MAX
};

struct text {
	char text[TEXT_MAX];
	char gram[GRAMS_MAX][64]; /* distinct */
	unsigned count[GRAMS_MAX], n;
};

static struct text texts[DOCS];
static char path[SCRATCH_MAX];

/* Few words, so that texts share n-grams, and repeat their own. */
static void write_text(struct text *t)
{
	static const char *const words[] = { "a", "b", "cc", "word", "xyz" };
	unsigned n = (unsigned)rng_below(rng_below(8) ? SHORT : WORDS_MAX);

	t->text[0] = '\0';
	for (unsigned i = 0; i < n; i++) {
		strcat(t->text, i ? " " : "");
		strcat(t->text, words[rng_below(n < SHORT ? 2 + rng_below(4) : 2)]);
	}
}

static void add_gram(struct text *t, const char *p, size_t n)
{
	unsigned i = 0;

	while (i < t->n && (strlen(t->gram[i]) != n || memcmp(t->gram[i], p, n) != 0))
		i++;
	if (i == t->n) {
		memcpy(t->gram[i], p, n);
		t->gram[i][n] = '\0';
		t->count[i] = 0;
		t->n++;
	}
	t->count[i]++;
}

/* The n-grams of min to max words, by looking for blanks. */
static void cut(struct text *t, unsigned min, unsigned max)
{
	const char *word[WORDS_MAX + 1];
	unsigned words = 0;

	t->n = 0;
	if (!*t->text)
		return;
	for (const char *p = t->text; p; p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL)
		word[words++] = p;
	word[words] = t->text + strlen(t->text) + 1;
	if (words < min)
		min = words;
	for (unsigned n = min; n <= max; n++)
		for (unsigned i = 0; i + n <= words; i++)
			add_gram(t, word[i], (size_t)(word[i + n] - word[i]) - 1);
}

static unsigned in_common(const struct text *x, const struct text *y, double *dot, bool logs)
{
	unsigned n = 0;

	*dot = 0;
	for (unsigned i = 0; i < x->n; i++)
		for (unsigned j = 0; j < y->n; j++)
			if (strcmp(x->gram[i], y->gram[j]) == 0) {
				n++;
				*dot += logs ? (1 + log(x->count[i])) * (1 + log(y->count[j]))
					     : (double)x->count[i] * y->count[j];
			}
	return n;
}

/* The words of a text, split at blanks. */
static unsigned words_of(const char *text, const char *word[WORDS_MAX + 1])
{
	unsigned n = 0;

	for (const char *p = *text ? text : NULL; p; p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL)
		word[n++] = p;
	return n;
}

static bool same_word(const char *x, const char *y)
{
	size_t n = strcspn(x, " ");

	return n == strcspn(y, " ") && memcmp(x, y, n) == 0;
}

/* 1 - edit distance / the longer text, by the whole matrix. */
static double slow_edit(const char *x, const char *y)
{
	const char *a[WORDS_MAX + 1], *b[WORDS_MAX + 1];
	unsigned n = words_of(x, a), m = words_of(y, b), cost[WORDS_MAX + 1];

	for (unsigned j = 0; j <= m; j++)
		cost[j] = j;
	for (unsigned i = 0; i < n; i++) {
		unsigned diagonal = cost[0]++;

		for (unsigned j = 0; j < m; j++) {
			unsigned least = diagonal + !same_word(a[i], b[j]);

			least = cost[j] + 1 < least ? cost[j] + 1 : least;
			least = cost[j + 1] + 1 < least ? cost[j + 1] + 1 : least;
			diagonal = cost[j + 1];
			cost[j + 1] = least;
		}
	}
	return n && m ? 1 - (double)cost[m] / (n > m ? n : m) : 0;
}

static double slow(const struct text *x, const struct text *y, const char *measure, bool logs)
{
	double dot, xx, yy;
	unsigned both = in_common(x, y, &dot, logs);

	if (!x->n || !y->n)
		return 0;
	if (*measure == 'e')
		return slow_edit(x->text, y->text);
	if (*measure == 'j')
		return (double)both / (x->n + y->n - both);
	if (strcmp(measure, "containment1") == 0)
		return (double)both / x->n;
	if (strcmp(measure, "containment2") == 0)
		return (double)both / y->n;
	if (strcmp(measure, "containment") == 0)
		return (double)both / (x->n < y->n ? x->n : y->n);
	in_common(x, x, &xx, logs);
	in_common(y, y, &yy, logs);
	return dot / sqrt(xx * yy);
}

static long double real(struct sh_wide x)
{
	return (long double)x.high * 0x1p64L + (long double)x.low;
}

static void write_texts(bool json)
{
	FILE *f = fopen(path, "w");

	for (unsigned i = 0; i < DOCS; i++)
		fprintf(f, json ? "{\"text\":\"%2$s\",\"id\":\"d%1$u\"}\n" : "d%u\t%s\n", i,
		    texts[i].text);
	fclose(f);
}

static void write_docs(bool json)
{
	for (unsigned i = 0; i < DOCS; i++)
		write_text(&texts[i]);
	write_texts(json);
}

static int open_corpus(struct sh_corpus *c, bool json)
{
	const struct sh_document_form form = { .json = json };
	struct sh_error err;
	uint64_t lines = 0;

	return sh_corpus_init(c, &form, &err) < 0 ||
	       sh_corpus_open(c, &(char *){ path }, 1, NULL, &err) < 0 ||
	       sh_corpus_scan(c, &lines, NULL, NULL, &err) < 0 || sh_corpus_index(c, &err) < 0;
}

static unsigned wrong_pairs(struct sh_comparer *c, const char *measure, bool logs, unsigned pairs)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < pairs; i++) {
		unsigned x = (unsigned)rng_below(DOCS), y = (unsigned)rng_below(DOCS);
		double want = slow(&texts[x], &texts[y], measure, logs);
		struct sh_verdict v;
		struct sh_error err;
		uint32_t a, b;
		char id[2][8];

		sprintf(id[0], "d%u", x);
		sprintf(id[1], "d%u", y);
		if (sh_comparer_find(c, sh_slice_str(id[0]), &a, &err) < 0 ||
		    sh_comparer_find(c, sh_slice_str(id[1]), &b, &err) < 0 || a != x || b != y ||
		    sh_comparer_compare(c, a, b, true, &v, &err) < 0 || !v.similar ||
		    fabs(v.similarity - want * 10000) > 0.5 + 1e-6) {
			wrong++;
			printf("# '%s' and '%s': %u, expected %g\n", texts[x].text, texts[y].text,
			    v.similarity, want);
		}
	}
	return wrong;
}

static void against_strings(
    const char *measure, const char *scheme, unsigned min, unsigned max, bool json, size_t arena)
{
	struct sh_corpus corpus;
	struct sh_comparer_opts opts = { .corpus = &corpus,
		.features = { .token.raw = json,
		    .ngrams = { .min = min, .max = max },
		    .key = { 1 } },
		.measure = sh_measure_find(measure),
		.scheme = sh_scheme_find(scheme),
		.ids = true,
		.arena = arena };
	unsigned wrong = 0;
	struct sh_error err;

	for (unsigned round = 0; round < 20; round++) {
		struct sh_comparer *c;

		write_docs(json);
		for (unsigned i = 0; i < DOCS; i++)
			cut(&texts[i], min, max);
		wrong += (unsigned)open_corpus(&corpus, json);
		c = sh_comparer_new(&opts, &err);
		wrong += wrong_pairs(c, measure, strcmp(scheme, "log") == 0, 300);
		sh_comparer_delete(c);
		sh_corpus_free(&corpus);
	}
	ok(wrong == 0, "%s, %s, %u to %u words, %s, %zu bytes: as sets of strings", measure, scheme,
	    min, max, json ? "JSON" : "TSV", arena);
}

/* Gives stored documents, whose numbers follow those of the corpus, by their tokens alone. */
static int stored(void *features, unsigned thread, uint32_t document, struct sh_feature_set *set,
    struct sh_error *err)
{
	const char *text = texts[document - DOCS].text;
	struct sh_feature_set x;

	if (thread != 3 || sh_features_of(features, sh_slice(text, strlen(text)), &x, err) < 0)
		return -1;
	*set = (struct sh_feature_set){ .ordered = x.ordered, .n_ordered = x.n_ordered };
	return 0;
}

/* With a threshold: whether it is reached, and the exact value where it is. Some documents are
 * stored ones. Lengths exclude no similar pair. */
static unsigned wrong_at(
    struct sh_comparer *c, const struct sh_comparer_opts *opts, double jaccard, double edit)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 60; i++) {
		unsigned x = (unsigned)rng_below(DOCS), y = (unsigned)rng_below(DOCS);
		const struct text *a = &texts[x], *b = &texts[y];
		double j = slow(a, b, "jaccard", false), e = slow(a, b, "edit", false);
		bool by_j = jaccard > 0 && j >= jaccard - 1e-12;
		bool by_e = edit > 0 && e >= edit - 1e-12, same, exact = rng_below(2);
		const char *word[WORDS_MAX + 1];
		struct sh_verdict v;
		struct sh_error err;

		if (sh_comparer_compare(c, x + DOCS * (uint32_t)rng_below(2),
			y + DOCS * (uint32_t)rng_below(2), exact, &v, &err) < 0 ||
		    v.similar != (by_j || by_e) ||
		    ((v.similar || (exact && a->n && b->n)) &&
			fabs(v.similarity - (by_j || edit == 0 ? j : e) * 10000) > 0.5 + 1e-6) ||
		    (v.similar && v.measure != (by_j ? SH_VERDICT_JACCARD : SH_VERDICT_EDIT)) ||
		    (v.similar && sh_comparer_excludes(opts, words_of(a->text, word),
				      words_of(b->text, word), a->n, b->n)) ||
		    (a->n && b->n &&
			(sh_comparer_same(c, x, y + DOCS, &same, &err) < 0 || same != (e == 1)))) {
			wrong++;
			printf("# '%s' and '%s': %u\n", a->text, b->text, v.similarity);
		}
	}
	return wrong;
}

/* Copies of two texts, with some words replaced, dropped and added. One text has many different
 * words, and the other one repeats ten words. */
static void write_copies(void)
{
	for (unsigned i = DOCS / 2; i < DOCS; i++) {
		unsigned one_in = 3 + (unsigned)rng_below(i % 2 ? 40 : 200), n = 0;

		texts[i].text[0] = '\0';
		for (unsigned w = 0; w < 120 && n < WORDS_MAX - 2; w++) {
			unsigned what = rng_below(one_in) ? 3 : (unsigned)rng_below(3);

			if (what < 2)
				sprintf(texts[i].text + strlen(texts[i].text), "%sx%u",
				    n++ ? " " : "", (unsigned)rng_below(100));
			if (what > 0 && what != 2)
				sprintf(texts[i].text + strlen(texts[i].text), "%sw%u",
				    n++ ? " " : "", i % 3 ? w : w % 10);
		}
	}
	write_texts(false);
}

static void thresholds(bool jaccard, bool edit, unsigned min, unsigned max)
{
	static const uint64_t asked[] = { 100000, 300000, 600000, 800000, 900000, 1000000 };
	struct sh_corpus corpus;
	struct sh_comparer_opts opts = { .features = { .ngrams = { .min = min, .max = max },
					     .of_tokens = true,
					     .key = { 7, 8 },
					     .cut = true },
		.corpus = &corpus,
		.stored = stored,
		.thread = 3 };
	struct sh_features *features;
	struct sh_error err;
	unsigned wrong;

	features = sh_features_new(&opts.features, &err);
	wrong = !features;
	opts.arg = features;
	for (unsigned round = 0; round < 36; round++) {
		struct sh_comparer *c;

		write_docs(false);
		write_copies();
		for (unsigned i = 0; i < DOCS; i++)
			cut(&texts[i], min, max);
		wrong += (unsigned)open_corpus(&corpus, false);
		opts.jaccard = jaccard ? asked[round % 6] : 0;
		opts.edit = edit ? asked[round / 6 % 6] : 0;
		opts.arena = round % 2 ? 1 : 1 << 24;
		c = sh_comparer_new(&opts, &err);
		wrong += wrong_at(c, &opts, (double)opts.jaccard / 1e6, (double)opts.edit / 1e6);
		sh_comparer_delete(c);
		sh_corpus_free(&corpus);
	}
	sh_features_delete(features);
	ok(wrong == 0, "%s%s, %u to %u words: what reaches a threshold is exact, nothing else does",
	    jaccard ? "jaccard " : "", edit ? "edit" : "", min, max);
}

/* Thresholds and rounding of p/q itself, and just beside it. */
static void numbers(void)
{
	unsigned wrong = 0, rounding = 0;
	static const struct sh_similarity zero,
	    large = { .num = { 1, 0 }, .a = { 4, 0 }, .b = { 1, 0 } };

	for (unsigned i = 0; i < 100000; i++) {
		uint64_t q = 1 + rng_below(1000000), p = rng_below(q + 1);
		uint64_t scale = 1 + (rng() >> 24);
		struct sh_wide den = sh_wide_mul(q, scale), num = sh_wide_mul(p, scale);
		struct sh_wide below = sh_wide_add(num, (struct sh_wide){ UINT64_MAX, UINT64_MAX });
		struct sh_similarity s = { .num = num, .a = den, .b = den };
		uint64_t want = (20000 * p + q) / (2 * q);

		if (!sh_similarity_reaches(&s, p, q) || (p && sh_similarity_reaches(&s, p + 1, q)))
			wrong++;
		s.num = p ? below : num;
		if (p && sh_similarity_reaches(&s, p, q))
			wrong++;
		s.num = num;
		rounding += sh_similarity_round(&s) != want;
	}
	ok(wrong == 0, "a similarity reaches itself, and nothing above");
	ok(rounding == 0, "rounded to four decimals, halves up, without a float");
	ok(sh_similarity_reaches(&zero, 0, 1) && !sh_similarity_reaches(&zero, 1, 1000000) &&
		sh_similarity_round(&zero) == 0,
	    "documents without features: 0, without a division");
	ok(sh_similarity_round(&large) == 5000 && sh_similarity_reaches(&large, 1, 2) &&
		!sh_similarity_reaches(&large, 500001, 1000000),
	    "multiples of 2^64 are not 0");
}

/* Square roots: cosines of random numbers, as wide as they get. */
static void roots(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 100000; i++) {
		struct sh_wide a = sh_wide_shl(sh_wide(rng_any()), (unsigned)rng_below(20));
		struct sh_wide b = sh_wide_shl(sh_wide(rng_any()), (unsigned)rng_below(20));
		struct sh_similarity s = { .a = sh_wide_add(a, sh_wide(1)),
			.b = sh_wide_add(b, sh_wide(1)) };
		long double root = sqrtl(real(s.a) * real(s.b)), got, is, num;

		num = root * (long double)rng_below(10000) / 10000;
		s.num.high = (uint64_t)(num * 0x1p-64L);
		s.num.low = (uint64_t)(num - (long double)s.num.high * 0x1p64L);
		got = sh_similarity_round(&s);
		is = real(s.num) / root * 10000;
		wrong += fabsl(got - is) > 0.5L + 1e-9L;
	}
	ok(wrong == 0, "roots: within half of a ten thousandth");
}

/* Documents of up to 30,000 features, whose sets exceed the arena: the results equal those with
 * enough memory. */
static void dropping(void)
{
	const struct sh_document_form form = { 0 };
	struct sh_comparer_opts opts = { .features = { .ngrams = { 1, 1, false } },
		.jaccard = 500000 };
	struct sh_comparer *few, *all;
	struct sh_corpus c;
	FILE *f = fopen(path, "w");
	unsigned wrong = 0, same = 0;
	uint64_t lines = 0;
	struct sh_error err;

	for (unsigned i = 0; i < DOCS; i++) {
		uint64_t n = i % 20 == 19 ? 30000 : 1 + rng_below(3000), from = rng_below(2000);

		fprintf(f, "d%u\t", i);
		for (uint64_t w = from; w < from + n; w++)
			fprintf(f, "%llu ", (unsigned long long)w);
		fputc('\n', f);
	}
	fclose(f);
	sh_corpus_init(&c, &form, &err);
	wrong += sh_corpus_open(&c, &(char *){ path }, 1, NULL, &err) < 0 ||
		 sh_corpus_scan(&c, &lines, NULL, NULL, &err) < 0;
	opts.corpus = &c;
	opts.arena = 1;
	few = sh_comparer_new(&opts, &err);
	opts.arena = 1 << 24;
	all = sh_comparer_new(&opts, &err);
	for (unsigned i = 0; i < 2000; i++) {
		uint32_t x = (uint32_t)rng_below(DOCS), y = (uint32_t)rng_below(DOCS);
		struct sh_verdict s, t;

		wrong += sh_comparer_compare(few, x, y, true, &s, &err) < 0 ||
			 sh_comparer_compare(all, x, y, true, &t, &err) < 0 ||
			 s.similarity != t.similarity || s.similar != t.similar ||
			 (x == y && s.similarity != 10000);
		same += x == y;
	}
	ok(wrong == 0 && same, "sets that were dropped are made again, and are the same");
	sh_comparer_delete(few);
	sh_comparer_delete(all);
	sh_corpus_free(&c);
}

int main(void)
{
	const size_t plenty = 1 << 24;

	rng_init(61);
	scratch(path, "verify");
	numbers();
	roots();
	dropping();
	against_strings("jaccard", "set", 3, 3, false, plenty);
	against_strings("jaccard", "set", 1, 2, true, plenty);
	against_strings("jaccard", "set", 2, 2, false, 1);
	against_strings("containment", "set", 1, 3, false, 3000);
	against_strings("containment1", "set", 1, 3, false, 3000);
	against_strings("containment2", "set", 1, 2, true, plenty);
	against_strings("cosine", "tf", 1, 1, false, plenty);
	against_strings("cosine", "log", 2, 2, false, 3000);
	against_strings("edit", "set", 3, 3, false, plenty);
	against_strings("edit", "set", 1, 1, true, 3000);
	thresholds(false, true, 2, 2);
	thresholds(true, true, 2, 2);
	thresholds(true, true, 3, 3);
	thresholds(true, false, 2, 2);
	thresholds(true, false, 1, 3);
	unlink(path);
	return done_testing();
}
