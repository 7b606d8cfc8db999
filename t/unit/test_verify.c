/* Compares similarities of random texts with sets of strings, similarities as numbers with long
 * double, and a corpus with the list that it was made of. */
#include "group/verify.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "fp/analysis.h"
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

static double value(const struct sh_similarity *s)
{
	return s->num.low ? (double)(real(s->num) / sqrtl(real(s->a) * real(s->b))) : 0;
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

static int no_bad(void *arg, struct sh_slice line, struct sh_error *err)
{
	(void)arg;
	(void)line;
	printf("# %s\n", err->text);
	return -1;
}

static int open_corpus(struct sh_corpus *c, bool json)
{
	const struct sh_document_form form = { .json = json };
	struct sh_error err;
	uint64_t lines = 0;

	return sh_corpus_init(c, &form, &err) < 0 ||
	       sh_corpus_open(c, &(char *){ path }, 1, NULL, &err) < 0 ||
	       sh_corpus_scan(c, &lines, no_bad, NULL, &err) < 0 || sh_corpus_index(c, &err) < 0;
}

static unsigned wrong_pairs(struct sh_verifier *v, const char *measure, bool logs, unsigned pairs)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < pairs; i++) {
		unsigned x = (unsigned)rng_below(DOCS), y = (unsigned)rng_below(DOCS);
		double want = slow(&texts[x], &texts[y], measure, logs);
		struct sh_similarity s, t;
		struct sh_error err;
		char id[2][8];

		sprintf(id[0], "d%u", x);
		sprintf(id[1], "d%u", y);
		if (sh_verify_ids(v, sh_slice_str(id[0]), sh_slice_str(id[1]), &s, &err) < 0 ||
		    sh_verify(v, x, y, &t, &err) < 0 || fabs(value(&s) - want) > 1e-6 ||
		    value(&t) != value(&s) ||
		    (*measure != 'c' && s.num.low > 0 && fabs(value(&s) - want) > 1e-15)) {
			wrong++;
			printf("# '%s' and '%s': %g, expected %g\n", texts[x].text, texts[y].text,
			    value(&s), want);
		}
	}
	return wrong;
}

static void against_strings(
    const char *measure, const char *scheme, unsigned min, unsigned max, bool json, size_t memory)
{
	struct sh_corpus corpus;
	struct sh_verify_opts opts = { .corpus = &corpus,
		.token.raw = json,
		.ngrams = { .min = min, .max = max },
		.measure = sh_measure_find(measure),
		.scheme = sh_scheme_find(scheme),
		.memory = memory };
	unsigned wrong = 0;
	struct sh_error err;

	for (unsigned round = 0; round < 20; round++) {
		struct sh_verifier *v;

		write_docs(json);
		for (unsigned i = 0; i < DOCS; i++)
			cut(&texts[i], min, max);
		wrong += (unsigned)open_corpus(&corpus, json);
		v = sh_verifier_new(&opts, &err);
		wrong += wrong_pairs(v, measure, strcmp(scheme, "log") == 0, 300);
		/* With room for all, each is read once. */
		wrong += memory > 1000000 && sh_verifier_made(v) > DOCS;
		sh_verifier_delete(v);
		sh_corpus_free(&corpus);
	}
	ok(wrong == 0, "%s, %s, %u to %u words, %s, %zu bytes: as sets of strings", measure, scheme,
	    min, max, json ? "JSON" : "TSV", memory);
}

#define FAR (UINT64_C(1) << 40) /* the number of the first text, where the caller chooses numbers */

static int set_of(
    void *analyser, uint64_t document, struct sh_feature_set *set, struct sh_error *err)
{
	const char *text = texts[document - FAR].text;
	struct sh_analysis x;

	if (sh_analyse(analyser, sh_slice(text, strlen(text)), &x, err) < 0)
		return -1;
	*set = x.set;
	return 0;
}

/* Returns whether sh_verify_same() is wrong about two texts of at least one feature. */
static bool wrong_same(
    struct sh_verifier *v, uint64_t x, uint64_t y, double similarity, struct sh_error *err)
{
	bool same;

	return sh_verify_same(v, x, y, &same, err) < 0 || same != (similarity == 1);
}

/* With a threshold: whether it is reached, and the exact value where it is. first: number of the
 * first text. decide: the value does not matter. */
static unsigned wrong_at(struct sh_verifier *v, uint64_t first, const char *measure, double jaccard,
    double edit, bool decide)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 60; i++) {
		unsigned x = (unsigned)rng_below(DOCS), y = (unsigned)rng_below(DOCS);
		double j = slow(&texts[x], &texts[y], "jaccard", false);
		double e = slow(&texts[x], &texts[y], "edit", false), want = e;
		bool reaches = e >= edit - 1e-12;
		struct sh_similarity s;
		struct sh_error err;

		if (*measure == 'j')
			reaches = j >= jaccard - 1e-12;
		if (*measure == 'a')
			reaches = j >= jaccard - 1e-12 || reaches;
		if (*measure == 'j' || (*measure == 'a' && j >= jaccard - 1e-12))
			want = j;
		if (sh_verify(v, first + x, first + y, &s, &err) < 0 || s.reaches != reaches ||
		    (!decide && reaches && fabs(value(&s) - want) > 1e-12) ||
		    (texts[x].n && texts[y].n &&
			wrong_same(v, first + x, first + y, *measure == 'e' ? e : j, &err))) {
			wrong++;
			printf("# '%s' and '%s': %g\n", texts[x].text, texts[y].text, value(&s));
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

static void thresholds(const char *measure, unsigned min, unsigned max)
{
	static const uint64_t asked[] = { 0, 300000, 600000, 800000, 900000, 1000000 };
	struct sh_corpus corpus;
	struct sh_verify_opts opts = { .ngrams = { .min = min, .max = max },
		.measure = sh_measure_find(measure),
		.scheme = sh_scheme_find("set"),
		.memory = 1 << 24 };
	struct sh_feature_opts stored = {
		.ngrams = opts.ngrams, .form = SH_FEATURES_OF_TOKENS, .key = { 7, 8 }, .cut = true
	};
	struct sh_analyser analyser;
	struct sh_error err;
	unsigned wrong = (unsigned)sh_analyser_init(&analyser, NULL, &stored, &err);

	for (unsigned round = 0; round < 72; round++) {
		struct sh_verifier *v;
		bool far = round % 2;

		write_docs(false);
		write_copies();
		for (unsigned i = 0; i < DOCS; i++)
			cut(&texts[i], min, max);
		wrong += (unsigned)open_corpus(&corpus, false);
		opts.threshold = asked[round % 6];
		opts.edit_threshold = asked[round / 6 % 6];
		opts.decide = round >= 36;
		opts.corpus = far ? NULL : &corpus;
		opts.set_of = set_of;
		opts.arg = &analyser;
		v = sh_verifier_new(&opts, &err);
		wrong += wrong_at(v, far ? FAR : 0, measure, (double)opts.threshold / 1e6,
		    (double)(*measure == 'a' ? opts.edit_threshold : opts.threshold) / 1e6,
		    opts.decide);
		sh_verifier_delete(v);
		sh_corpus_free(&corpus);
	}
	sh_analyser_free(&analyser);
	ok(wrong == 0,
	    "%s, %u to %u words: what reaches a threshold is exact, and nothing else reaches it; "
	    "of a corpus, and of sets that are given; also when only the decision matters",
	    measure, min, max);
}

static void same_digest(const char *measure)
{
	struct sh_corpus corpus;
	struct sh_verify_opts opts = { .corpus = &corpus,
		.ngrams = { .min = 2, .max = 2 },
		.measure = sh_measure_find(measure),
		.scheme = sh_scheme_find("set"),
		.memory = 1 << 24 };
	unsigned wrong = 0, same = 0;
	struct sh_verifier *v;
	struct sh_error err;

	for (unsigned i = 0; i < DOCS; i++)
		sprintf(
		    texts[i].text, "%.*s", (int)(2 * (1 + i % 3)), i % 2 ? "a b a b" : "b a a a");
	write_texts(false);
	wrong += (unsigned)open_corpus(&corpus, false);
	v = sh_verifier_new(&opts, &err);
	for (uint32_t x = 0; x < DOCS; x++)
		for (uint32_t y = 0; y < DOCS; y++) {
			uint64_t a, b;
			struct sh_similarity s;

			wrong += sh_verifier_digest(v, x, &a, &err) < 0 ||
				 sh_verifier_digest(v, y, &b, &err) < 0 ||
				 sh_verify(v, x, y, &s, &err) < 0;
			if (!*texts[x].text || !*texts[y].text)
				continue;
			same += a == b && x != y;
			wrong += (a == b) != sh_similarity_reaches(&s, 1, 1);
		}
	ok(wrong == 0 && same > 0, "%s: one digest just where the similarity is 1", measure);
	sh_verifier_delete(v);
	sh_corpus_free(&corpus);
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

static void printing(void)
{
	char b[7] = { 0 };
	bool good = true;

	for (unsigned t = 0; t <= 10000; t++) {
		char want[16];

		sprintf(want, "%u.%04u", t / 10000, t % 10000);
		sh_similarity_print(b, t);
		good = good && strcmp(b, want) == 0;
	}
	ok(good, "all similarities print");
}

/* Many documents with short ids in several files, some repeated, looked up in any order. */
static void looking_up(void)
{
	const struct sh_document_form form = { 0 };
	struct sh_corpus c;
	struct sh_document_room room = { 0 };
	struct sh_error err;
	uint64_t lines = 0;
	unsigned wrong = 0;

	sh_corpus_init(&c, &form, &err);
	for (unsigned part = 0; part < 3; part++) {
		FILE *f = fopen(path, "w");

		for (unsigned i = part * 900; i < part * 900 + 1000; i++)
			fprintf(f, "%x\ttext %u%s", i, i, i == part * 900 + 999 ? "" : "\n");
		fclose(f);
		wrong += sh_corpus_open(&c, &(char *){ path }, 1, NULL, &err) < 0 ||
			 sh_corpus_scan(&c, &lines, no_bad, NULL, &err) < 0;
		unlink(path);
	}
	wrong += sh_corpus_index(&c, &err) < 0;
	ok(wrong == 0 && c.n == 2800 && c.repeated == 200, "three files, 200 ids twice");
	for (unsigned i = 0; i < 3000; i++) {
		char id[16], text[32];
		uint32_t at;
		struct sh_document doc;

		sprintf(id, "%x", i);
		sprintf(text, "text %u", i);
		at = sh_corpus_find(&c, sh_slice_str(id), SH_CORPUS_NONE);
		if (i >= 2800)
			wrong += at != SH_CORPUS_NONE;
		else
			wrong += at != i || sh_corpus_document(&c, at, &room, &doc, &err) < 0 ||
				 !sh_slice_eq(doc.text, sh_slice_str(text));
	}
	ok(wrong == 0, "each is found by its id, the first of two, and no other");
	sh_document_room_free(&room);
	sh_corpus_free(&c);
}

/* Documents of up to 30,000 features, whose sets exceed the memory: the results equal those with
 * enough memory. */
static void dropping(void)
{
	const struct sh_document_form form = { 0 };
	struct sh_verify_opts opts = { .ngrams = { 1, 1, false },
		.measure = sh_measure_find("jaccard"),
		.scheme = sh_scheme_find("log") };
	struct sh_verifier *few, *all;
	struct sh_corpus c;
	FILE *f = fopen(path, "w");
	unsigned wrong = 0;
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
		 sh_corpus_scan(&c, &lines, no_bad, NULL, &err) < 0;
	opts.corpus = &c;
	opts.memory = 1;
	few = sh_verifier_new(&opts, &err);
	opts.memory = 1 << 24;
	all = sh_verifier_new(&opts, &err);
	for (unsigned i = 0; i < 2000; i++) {
		uint32_t x = (uint32_t)rng_below(DOCS), y = (uint32_t)rng_below(DOCS);
		struct sh_similarity s, t;

		wrong += sh_verify(few, x, y, &s, &err) < 0 || sh_verify(all, x, y, &t, &err) < 0 ||
			 s.num.low != t.num.low || s.a.low != t.a.low;
		if (x == y)
			wrong += s.num.low != s.a.low;
	}
	ok(wrong == 0, "sets that were dropped are made again, and are the same");
	ok(sh_verifier_made(all) == DOCS && sh_verifier_made(few) > 2 * (uint64_t)DOCS,
	    "%llu times with room for few, once each with room for all",
	    (unsigned long long)sh_verifier_made(few));
	sh_verifier_delete(few);
	sh_verifier_delete(all);
	sh_corpus_free(&c);
}

int main(void)
{
	const size_t plenty = 1 << 24;

	rng_init(61);
	scratch(path, "verify");
	numbers();
	roots();
	printing();
	looking_up();
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
	thresholds("edit", 2, 2);
	thresholds("any", 2, 2);
	thresholds("any", 3, 3);
	thresholds("jaccard", 2, 2);
	thresholds("jaccard", 1, 3);
	same_digest("jaccard");
	same_digest("edit");
	unlink(path);
	return done_testing();
}
