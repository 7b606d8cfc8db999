/* The keys of an archive: sketches hold the compared features, and similar documents share keys. */
#include "published/published.h"
#include <math.h>
#include <string.h>

#include "archive/keys.h"
#include "archive/sketch.h"
#include "archive_util.h"
#include "fp/analysis.h"
#include "match/align.h"
#include "rng.h"
#include "tap.h"
#include "text/method.h"

/* ---- sketches ---- */

static void test_sketches(void)
{
	struct sh_sketch got = { 0 };
	struct sh_buf text = { 0 };
	struct sh_error err;
	int wrong = 0, accepted = 0;
	double bytes = 0;

	for (int turn = 0; turn < 400; turn++) {
		size_t n = turn < 40 ? (size_t)turn : 1 + rng_below(turn % 10 ? 700 : 20000);
		uint64_t *hash = malloc(n * sizeof *hash + 1);

		for (size_t i = 0; i < n; i++)
			hash[i] = turn % 7 == 3 ? UINT64_MAX - rng_below(64) : rng();
		qsort(hash, n, sizeof *hash, by_value);
		text.n = 0;
		works(sh_sketch_print(hash, n, &text, &err) == 0, &err);
		for (size_t i = 0; i < n; i++)
			hash[i] &= ~(uint64_t)UINT32_MAX;
		if (sh_sketch_parse(sh_buf_slice(&text), &got, &err) < 0 || got.n != n ||
		    (n && memcmp(got.hash, hash, n * sizeof *hash) != 0))
			wrong++;
		/* A sketch that is cut short is refused. */
		for (int k = 0; n && k < 20; k++)
			accepted +=
			    sh_sketch_parse(sh_slice(text.p, rng_below(text.n)), &got, &err) == 0;
		if (n == 500)
			bytes = (double)text.n;
		free(hash);
	}
	ok(wrong == 0, "a sketch gives its features back: %d do not", wrong);
	ok(accepted == 0, "a sketch that is cut short is refused: %d are not", accepted);
	{
		uint64_t hash[500];

		for (size_t i = 0; i < 500; i++)
			hash[i] = rng();
		qsort(hash, 500, sizeof *hash, by_value);
		text.n = 0;
		works(sh_sketch_print(hash, 500, &text, &err) == 0, &err);
		bytes = (double)text.n / 500;
	}
	ok(bytes < 4.2, "a sketch of 500 features has %.2f bytes a feature", bytes);
	sh_sketch_free(&got);
	sh_buf_free(&text);
}

/* ---- keys ---- */

static int sets_share_key(const struct sh_key_rule *r, const struct sh_feature_set *x,
    const struct sh_feature_set *y, struct sh_key_list *a, struct sh_key_list *b)
{
	struct sh_error err;

	a->n = b->n = 0;
	works(sh_keys_of(r, x, a, &err) == 0, &err);
	works(sh_keys_of(r, y, b, &err) == 0, &err);
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (a->key[i] == b->key[k])
				return 1;
	return 0;
}

static int share_key(const struct sh_key_rule *r, const uint64_t *x, size_t nx, const uint64_t *y,
    size_t ny, struct sh_key_list *a, struct sh_key_list *b)
{
	const struct sh_feature_set left = { .hash = x, .n = nx }, right = { .hash = y, .n = ny };

	return sets_share_key(r, &left, &right, a, b);
}

/* Draws two sets of n and m features, of which `common` are in both. */
static void draw_sets(uint64_t *x, size_t n, uint64_t *y, size_t m, size_t common)
{
	for (size_t i = 0; i < n; i++)
		x[i] = rng();
	for (size_t i = 0; i < m; i++)
		y[i] = i < common ? x[i] : rng();
	qsort(x, n, sizeof *x, by_value);
	qsort(y, m, sizeof *y, by_value);
}

/* The share of pairs of similarity J with a common key is that of the manual page. */
static void test_recall(void)
{
	static const double similarity[] = { 0.5, 0.6, 0.7, 0.8, 0.85, 0.9 };
	struct sh_key_rule r = { .few = 20, .threshold = 800000, .key = { 1, 2 } };
	struct sh_key_list a = { 0 }, b = { 0 };
	enum { PAIRS = 2000, UNION = 240 };

	sh_key_layout(&r);
	ok(r.bands == 12 && r.rows == 4, "the layout for 0.8 is %u bands of %u", r.bands, r.rows);
	for (size_t s = 0; s < 6; s++) {
		size_t common = (size_t)(similarity[s] * UNION + 0.5), found = 0;
		double j = (double)common / UNION, want = 1 - pow(1 - pow(j, 4), 12);
		double error = 5 * sqrt(want * (1 - want) / PAIRS) + 0.5 / PAIRS;

		for (int i = 0; i < PAIRS; i++) {
			uint64_t x[UNION], y[UNION];
			size_t n = common + (UNION - common) / 2, m = UNION + common - n;

			draw_sets(x, n, y, m, common);
			found += (size_t)share_key(&r, x, n, y, m, &a, &b);
		}
		ok(fabs((double)found / PAIRS - want) <= error,
		    "J = %.3f: %.4f of the pairs share a key, expected %.4f", j,
		    (double)found / PAIRS, want);
	}
	free(a.key);
	free(b.key);
}

/* 99.8 % of the pairs at any threshold share a key. */
static void test_layouts(void)
{
	int bad = 0;

	for (uint64_t t = 60000; t <= 1000000; t += 5000) {
		struct sh_key_rule r = { .threshold = t };
		double missed;

		sh_key_layout(&r);
		missed = pow(1 - pow((double)t / 1e6, r.rows), r.bands);
		if (missed > 0.02 || (t >= 100000 && missed > 0.00201))
			bad++;
	}
	ok(bad == 0, "every threshold has a layout with this recall: %d do not", bad);
}

/* Pairs of few features that reach the threshold all share a key. */
static void test_few(void)
{
	struct sh_key_list a = { 0 }, b = { 0 };
	int missed = 0, reached = 0;

	for (int i = 0; i < 30000; i++) {
		struct sh_key_rule r = { .few = (unsigned)(1 + rng_below(30)),
			.threshold = 1000 * (uint64_t)(100 + rng_below(901)),
			.key = { 1, 2 } };
		size_t n = 1 + rng_below(30), common = 1 + rng_below(n), m = common + rng_below(8);
		uint64_t x[64], y[64];

		sh_key_layout(&r);
		if ((n >= r.few && m >= r.few) || common * 1000000 < r.threshold * (n + m - common))
			continue;
		draw_sets(x, n, y, m, common);
		reached++;
		missed += !share_key(&r, x, n, y, m, &a, &b);
	}
	ok(missed == 0 && reached > 5000,
	    "small documents that reach the threshold share a key: %d of %d do not", missed,
	    reached);
	free(a.key);
	free(b.key);
}

/* Documents of at least `few` features have a key for each band. Smaller documents, and documents
 * that can reach the threshold with a smaller one, have keys of their first features. */
static void test_which_keys(void)
{
	struct sh_key_list keys = { 0 };
	struct sh_error err;
	int wrong = 0;

	for (unsigned few = 0; few <= 30; few++) {
		struct sh_key_rule r = { .few = few, .threshold = 800000, .key = { 1, 2 } };

		sh_key_layout(&r);
		for (size_t n = 0; n <= 60; n++) {
			uint64_t x[60], y[1];
			size_t by_band = 0, by_feature = 0;
			struct sh_feature_set set = { .n = n };
			bool like_small = few && 800000 * n <= 1000000 * (uint64_t)(few - 1);

			draw_sets(x, n, y, 0, 0);
			set.hash = x;
			keys.n = 0;
			works(sh_keys_of(&r, &set, &keys, &err) == 0, &err);
			for (size_t i = 0; i < keys.n; i++) {
				by_band += sh_key_band(keys.key[i]) < r.bands;
				by_feature += sh_key_band(keys.key[i]) == SH_KEY_BAND_FEATURE;
			}
			wrong += by_band != (n && n >= few ? r.bands : 0) ||
				 by_feature != (like_small ? n - (4 * n + 4) / 5 + (n > 0) : 0) ||
				 by_band + by_feature != keys.n;
		}
	}
	ok(wrong == 0,
	    "documents of at least --few features have keys by band, and up to 5/4 of it keys by "
	    "feature: %d wrong",
	    wrong);
	free(keys.key);
}

/* ---- edit similarity ---- */

enum { TOKENS = 400 };

/* A text as the hashes of its tokens. */
struct tokens {
	uint64_t hash[TOKENS];
	size_t n;
};

static uint64_t draw_token(size_t words)
{
	return (1 + rng_below(words)) * UINT64_C(0x9e3779b97f4a7c15);
}

static void draw_text(struct tokens *t, size_t n, size_t words)
{
	for (t->n = 0; t->n < n; t->n++)
		t->hash[t->n] = draw_token(words);
}

static void edit(struct tokens *t, size_t words)
{
	size_t at = rng_below(t->n + 1);

	switch (rng_below(3)) {
	case 0: /* insert */
		memmove(t->hash + at + 1, t->hash + at, (t->n++ - at) * sizeof *t->hash);
		t->hash[at] = draw_token(words);
		break;
	case 1: /* delete */
		if (at < t->n)
			memmove(t->hash + at, t->hash + at + 1, (--t->n - at) * sizeof *t->hash);
		break;
	default:
		if (at < t->n)
			t->hash[at] = draw_token(words);
	}
}

/* Replaces `edits` tokens by new ones. */
static void replace(struct tokens *t, size_t edits)
{
	for (size_t i = 0; i < t->n; i++) {
		if (rng_below(t->n - i) >= edits)
			continue;
		t->hash[i] = rng();
		edits--;
	}
}

struct comparing {
	struct sh_key_rule rule;
	struct sh_features *x, *y;
	struct sh_aligner *aligner;
	struct sh_key_list a, b;
};

static void start_comparing(struct comparing *c, uint64_t edit, unsigned few, unsigned n)
{
	struct sh_feature_opts opts = {
		.ngrams = { .min = n, .max = n }, .form = SH_FEATURES_OF_TOKENS, .key = { 1, 2 }
	};
	struct sh_error err;

	*c = (struct comparing){ .rule = { .edit = edit,
				     .few = few,
				     .ngrams = { .min = n, .max = n },
				     .key = { 1, 2 } } };
	sh_key_layout(&c->rule);
	c->x = sh_features_new(&opts, &err);
	c->y = sh_features_new(&opts, &err);
	c->aligner = sh_aligner_new(&err);
	works(c->x && c->y && c->aligner, &err);
}

static void end_comparing(struct comparing *c)
{
	sh_features_delete(c->x);
	sh_features_delete(c->y);
	sh_aligner_delete(c->aligner);
	free(c->a.key);
	free(c->b.key);
}

/* Whether the texts share a key. *similar: they reach the threshold. */
static int texts_share_key(
    struct comparing *c, const struct tokens *x, const struct tokens *y, bool *similar)
{
	struct sh_feature_set a, b;
	struct sh_similarity s;
	struct sh_error err;

	works(sh_features_of_sequence(c->x, x->hash, x->n, &a, &err) == 0 &&
		  sh_features_of_sequence(c->y, y->hash, y->n, &b, &err) == 0,
	    &err);
	works(sh_align_similarity(c->aligner, (struct sh_sequence){ x->hash, x->n },
		  (struct sh_sequence){ y->hash, y->n },
		  (struct sh_align_bound){
		      .most = sh_align_limit(x->n > y->n ? x->n : y->n, c->rule.edit) },
		  &s, &err) == 0,
	    &err);
	*similar = sh_similarity_reaches(&s, c->rule.edit, 1000000);
	return sets_share_key(&c->rule, &a, &b, &c->a, &c->b);
}

/* The texts are short and of few words that are often repeated. */
static void test_few_tokens(void)
{
	int missed = 0, reached = 0;

	for (int turn = 0; turn < 60; turn++) {
		struct comparing c;
		unsigned few = (unsigned)rng_below(25), n = (unsigned)(1 + rng_below(4));
		size_t words = 2 + rng_below(20), small = few + n < 2 || !few ? 0 : few + n - 2;

		start_comparing(&c, 1000 * (uint64_t)(300 + rng_below(701)), few, n);
		for (int i = 0; small && i < 1000; i++) {
			struct tokens x, y;
			bool similar;

			draw_text(&x, 1 + rng_below(small), words);
			y = x;
			for (size_t edits = rng_below(1 + x.n / 2); edits; edits--)
				edit(&y, words);
			if (!texts_share_key(&c, &x, &y, &similar) && similar)
				missed++;
			reached += similar;
		}
		end_comparing(&c);
	}
	ok(missed == 0 && reached > 10000,
	    "small documents that reach the threshold of edit similarity share a key: %d of %d do "
	    "not",
	    missed, reached);
}

/* Longer texts of many words: the share of copies that meet, exactly at the threshold and above
 * it. */
static void test_edited_copies(void)
{
	static const struct {
		uint64_t edit;
		unsigned bands, rows;
	} layout[] = { { 950000, 12, 3 }, { 900000, 16, 2 }, { 800000, 15, 1 }, { 750000, 20, 1 },
		{ 600000, 49, 1 } };
	enum { PAIRS = 1500 };

	for (size_t k = 0; k < sizeof layout / sizeof *layout; k++) {
		struct comparing c;
		size_t found[2] = { 0 }, similar[2] = { 0 };

		start_comparing(&c, layout[k].edit, 20, 3);
		for (int i = 0; i < 2 * PAIRS; i++) {
			struct tokens x, y;
			bool is_similar;
			size_t edits;

			draw_text(&x, 40 + rng_below(200), 100000);
			edits = (size_t)((1000000 - layout[k].edit) * x.n / 1000000);
			y = x;
			replace(&y, i % 2 ? edits / 2 : edits);
			found[i % 2] += (size_t)texts_share_key(&c, &x, &y, &is_similar);
			similar[i % 2] += is_similar;
		}
		ok(c.rule.bands == layout[k].bands && c.rule.rows == layout[k].rows &&
			1000 * found[0] >= 985 * PAIRS && 10000 * found[1] >= 9985 * PAIRS &&
			similar[0] == PAIRS && similar[1] == PAIRS,
		    "edit similarity %.2f: %u bands of %u; %.4f of the copies share a key, %.4f of "
		    "those with half of the changes",
		    (double)layout[k].edit / 1e6, c.rule.bands, c.rule.rows,
		    (double)found[0] / PAIRS, (double)found[1] / PAIRS);
		end_comparing(&c);
	}
}

/* Hashes that archives hold must be the same in every version and on every machine. */
static void test_same_hashes(void)
{
	static const char text[] = "The quick brown fox jumps over the lazy dog, "
				   "internationalization and all\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	uint64_t sum[3] = { 0 };

	for (unsigned n = 1; n < 20; n += 9) {
		struct sh_feature_opts opts = { .token = { .method = sh_token_method_at(0) },
			.ngrams = { .min = 1, .max = n },
			.form = SH_FEATURES_OF_TOKENS,
			.key = { 1, 2 } };
		struct sh_analyser a;
		struct sh_analysis x;
		struct sh_error err;

		works(sh_analyser_init(&a, NULL, &opts, &err) == 0 &&
			  sh_analyse(&a, sh_slice(text, strlen(text)), &x, &err) == 0,
		    &err);
		for (size_t i = 0; i < x.set.n; i++)
			sum[n / 9] = sum[n / 9] * 31 + x.set.hash[i];
		sh_analyser_free(&a);
	}
	ok(sum[0] == UINT64_C(0x684174d75d63fa24) && sum[1] == UINT64_C(0x8caf8921a4da431f) &&
		sum[2] == UINT64_C(0x2eaaa00a26cc1768),
	    "hashes of tokens and n-grams stay the same in all versions: %016llx %016llx %016llx",
	    (unsigned long long)sum[0], (unsigned long long)sum[1], (unsigned long long)sum[2]);
}

static void test_sequences(void)
{
	static const uint64_t three[] = { UINT64_C(1) << 40, UINT64_C(2) << 40, UINT64_C(3) << 40 };
	struct sh_sketch distinct = { 0 }, all = { 0 };
	struct sh_buf out = { 0 };
	struct sh_hashes scratch = { 0 };
	struct sh_error err;
	int wrong = 0, accepted = 0;

	for (int turn = 0; turn < 600; turn++) {
		struct tokens t;
		bool several;

		draw_text(&t, turn < 60 ? (size_t)(1 + turn / 4) : 1 + rng_below(TOKENS - 1),
		    1 + rng_below(turn % 3 ? 10 : 1000));
		for (size_t i = 0; i < t.n; i++)
			t.hash[i] &= ~(uint64_t)UINT32_MAX;
		out.n = 0;
		works(sh_sequence_print(t.hash, t.n, &scratch, &out, &err) == 0, &err);
		if (sh_sequence_parse(sh_buf_slice(&out), &distinct, &all, &err) < 0 ||
		    all.n != t.n || memcmp(all.hash, t.hash, t.n * sizeof *t.hash) != 0)
			wrong++;
		several = distinct.n > 1;
		for (int k = 0; several && k < 20; k++)
			accepted += sh_sequence_parse(sh_slice(out.p, rng_below(out.n)), &distinct,
					&all, &err) == 0;
	}
	ok(wrong == 0, "the sketch of a sequence gives its tokens back: %d do not", wrong);
	ok(accepted == 0, "the sketch of a sequence that is cut short is refused: %d are not",
	    accepted);
	out.n = 0;
	works(sh_sequence_print(three, 3, &scratch, &out, &err) == 0, &err);
	out.p[out.n - 1] = '/'; /* the places of three tokens, of two bits each: all are 3 */
	ok(sh_sequence_parse(sh_buf_slice(&out), &distinct, &all, &err) < 0,
	    "a place behind the last token is refused");
	sh_hashes_free(&scratch);
	sh_sketch_free(&distinct);
	sh_sketch_free(&all);
	sh_buf_free(&out);
}

int main(void)
{
	rng_init(UINT64_C(0xa7c41e));
	test_sketches();
	test_layouts();
	test_recall();
	test_few();
	test_which_keys();
	test_sequences();
	test_few_tokens();
	test_edited_copies();
	test_same_hashes();
	return done_testing();
}
