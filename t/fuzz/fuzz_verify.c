/* SPDX-License-Identifier: MIT */
/* Compares the feature sets of two texts, and their common features, with n-grams as strings that
 * are compared one by one. */
#include "fuzz.h"

#include "../unit/test_props_fp.c"
#include "fp/features.h"
#include "match/measure.h"

enum { LONGEST = 400 };

struct side {
	struct oracle o;
	struct sh_features *features;
	struct sh_feature_set set;
	uint64_t weight[FEATURES_MAX];
	struct sh_weighed_set weighed;
};

static struct sh_features *begin(const struct sh_fingerprint_opts *opts)
{
	struct sh_feature_opts f = {
		.token = opts->token, .ngrams = opts->ngrams, .key = { 12, 34 }
	};
	struct sh_features *made;
	struct sh_error err;

	check((made = sh_features_new(&f, &err)) != NULL);
	return made;
}

static void fill(struct side *s, const struct sh_fingerprint_opts *opts, struct sh_slice text)
{
	struct sh_tokenizer *t;
	struct sh_tokens tokens;
	struct sh_error err;
	uint64_t all = 0;

	t = sh_tokenizer_new(&opts->token, &err);
	check(t && sh_tokenize(t, text, &tokens, &err) == 0);
	collect(&s->o, &tokens, opts->ngrams, opts->token.unit == SH_UNIT_CHAR);
	count(&s->o);
	s->features = begin(opts);
	check(sh_features_of(s->features, text, &s->set, &err) == 0);
	check(s->set.bad_utf8 == tokens.bad_utf8);
	sh_tokenizer_delete(t);
	check(s->set.n == s->o.n);
	s->weighed = (struct sh_weighed_set){ .hash = s->set.hash, .weight = s->weight };
	s->weighed.n = s->set.n;
	for (size_t i = 0; i < s->set.n; i++) {
		check(i == 0 || s->set.hash[i] > s->set.hash[i - 1]);
		all += s->weight[i] = s->set.count[i];
		s->weighed.squares =
		    sh_wide_add(s->weighed.squares, sh_wide_mul(s->weight[i], s->weight[i]));
	}
	check(all == s->o.all);
}

static bool is(struct sh_wide x, uint64_t y)
{
	return x.high == 0 && x.low == y;
}

static void compare(const struct side *x, const struct side *y)
{
	uint64_t both = 0, dot = 0, xx = 0, yy = 0;
	struct sh_similarity s;

	for (size_t i = 0; i < x->o.n; i++)
		for (size_t j = 0; j < y->o.n; j++)
			if (sh_slice_eq(x->o.feature[i].text, y->o.feature[j].text)) {
				both++;
				dot += x->o.feature[i].count * y->o.feature[j].count;
			}
	for (size_t i = 0; i < x->o.n; i++)
		xx += x->o.feature[i].count * x->o.feature[i].count;
	for (size_t j = 0; j < y->o.n; j++)
		yy += y->o.feature[j].count * y->o.feature[j].count;
	if (x->o.n == 0 || y->o.n == 0) {
		both = dot = 0;
	}
	sh_measure_find("jaccard")->compare(&x->weighed, &y->weighed, &s);
	check(is(s.num, both));
	if (both) {
		check(is(s.a, x->o.n + y->o.n - both) && is(s.b, s.a.low));
		for (uint64_t q = 1; q < 12; q++)
			for (uint64_t p = 0; p <= q; p++)
				check(sh_similarity_reaches(&s, p, q) ==
				      (both * q >= p * (x->o.n + y->o.n - both)));
	}
	sh_measure_find("containment")->compare(&x->weighed, &y->weighed, &s);
	check(is(s.num, both));
	if (both)
		check(is(s.a, x->o.n < y->o.n ? x->o.n : y->o.n) && is(s.b, s.a.low));
	sh_measure_find("cosine")->compare(&x->weighed, &y->weighed, &s);
	check(is(s.num, dot));
	if (dot)
		check(is(s.a, xx) && is(s.b, yy));
	check(sh_similarity_round(&s) <= 10000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct side x, y;
	struct sh_fingerprint_opts opts;
	size_t n, cut;
	char *a, *b;

	if (!x.o.feature) {
		x.o.feature = calloc(FEATURES_MAX, sizeof *x.o.feature);
		y.o.feature = calloc(FEATURES_MAX, sizeof *y.o.feature);
		check(x.o.feature && y.o.feature);
	}
	fuzz_begin(data, size);
	opts = random_options();
	opts.ngrams.max =
	    opts.ngrams.max > opts.ngrams.min + 2 ? opts.ngrams.min + 2 : opts.ngrams.max;
	cut = rng_below(256);
	n = fuzz_input.n < LONGEST ? fuzz_input.n : LONGEST;
	cut = cut < n ? cut : n;
	a = fuzz_copy(fuzz_input.p, cut, 0);
	b = fuzz_copy(fuzz_input.p + cut, n - cut, 0);
	fill(&x, &opts, sh_slice(a, cut));
	fill(&y, &opts, sh_slice(b, n - cut));
	compare(&x, &y);
	sh_features_delete(x.features);
	sh_features_delete(y.features);
	free(a);
	free(b);
	return 0;
}
