/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "api/api.h"
#include "base/siphash.h"
#include "fp/defaults.h"
#include "fp/features.h"
#include "match/comparer.h"
#include "text/method.h"

enum { ARENA = 1 << 24, UNIT = SH_WEIGHT_ONE };

/* The documents of the comparer are the texts. */
struct texts {
	const char *text;
	size_t *at; /* offset of each text; at[n]: the end */
	struct sh_features *features;
	struct sh_corpus none; /* without documents: all are read by read_text() */
};

void simhash_verify_defaults(struct simhash_verify_options *o)
{
	*o = (struct simhash_verify_options){
		.measure = SH_DEFAULT_MEASURE,
		.threshold = (double)SH_DEFAULT_JACCARD / UNIT,
		.edit_threshold = (double)SH_DEFAULT_EDIT / UNIT,
		.ngram_min = SH_DEFAULT_SET_NGRAM,
		.ngram_max = SH_DEFAULT_SET_NGRAM,
		.weight = "log",
	};
}

static int read_text(
    void *arg, unsigned thread, uint32_t document, struct sh_feature_set *set, struct sh_error *err)
{
	struct texts *t = arg;
	size_t at = t->at[document];

	(void)thread;
	return sh_features_of(
	    t->features, sh_slice(t->text + at, t->at[document + 1] - at), set, err);
}

static int set_threshold(uint64_t *to, const char *name, double x, struct sh_error *err)
{
	if (!(x >= 0 && x <= 1))
		return sh_error_set(
		    err, SH_ERR_PARAM, "%s %g: expected a number from 0 to 1", name, x);
	*to = (uint64_t)(x * UNIT + 0.5);
	return 0;
}

static int translate(
    const struct simhash_verify_options *o, struct sh_comparer_opts *to, struct sh_error *err)
{
	uint64_t edit = 0;

	if (sh_api_reserved(o->reserved, sizeof o->reserved / sizeof *o->reserved, err) < 0 ||
	    sh_api_ngrams(o->ngram_min, o->ngram_max, err) < 0)
		return -1;
	to->measure = o->measure ? sh_measure_find(o->measure) : NULL;
	if (!to->measure)
		return sh_error_set(err, SH_ERR_PARAM,
		    "no measure '%s' (shverify(1) lists them; simhash_verify_defaults() sets one)",
		    o->measure ? o->measure : "");
	to->scheme = o->weight ? sh_scheme_find(o->weight) : NULL;
	if (!to->scheme)
		return sh_error_set(err, SH_ERR_PARAM, "weight '%s': expected set, tf or log",
		    o->weight ? o->weight : "");
	if (set_threshold(&to->jaccard, "threshold", o->threshold, err) < 0 ||
	    set_threshold(&edit, "edit_threshold", o->edit_threshold, err) < 0)
		return -1;
	to->edit = to->measure->any ? edit : to->jaccard;
	to->features.token = (struct sh_token_opts){ .method = &sh_words_method,
		.unit = o->chars ? SH_UNIT_CHAR : SH_UNIT_WORD,
		.no_fold = o->no_fold,
		.mask_digits = o->mask_digits,
		.fold_marks = o->fold_marks,
		.join_hyphens = o->join_hyphens,
		.raw = true };
	to->features.ngrams.min = o->ngram_min;
	to->features.ngrams.max = o->ngram_max;
	to->features.only_order = to->measure->ordered;
	return sh_random_key(to->features.key, err);
}

static int place_texts(struct texts *t, const size_t *sizes, size_t n, struct sh_error *err)
{
	if (n >= UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "%zu texts: expected less than 2^32 - 1", n);
	t->at = malloc((n + 1) * sizeof *t->at);
	if (!t->at)
		return sh_error_nomem(err);
	t->at[0] = 0;
	for (size_t i = 0; i < n; i++)
		t->at[i + 1] = t->at[i] + sizes[i];
	return 0;
}

static int compare_all(struct sh_comparer *c, const struct sh_measure *measure, size_t texts,
    const struct simhash_pair *pairs, size_t n, struct simhash_similarity *out,
    struct sh_error *err)
{
	for (size_t k = 0; k < n; k++) {
		struct sh_verdict v;

		if (pairs[k].i >= texts || pairs[k].j >= texts)
			return sh_error_set(err, SH_ERR_PARAM,
			    "pair %zu, (%u, %u): expected indexes of %zu texts", k, pairs[k].i,
			    pairs[k].j, texts);
		if (sh_comparer_compare(c, pairs[k].i, pairs[k].j, false, &v, err) < 0)
			return -1;
		out[k] = (struct simhash_similarity){ v.similarity / 10000.0,
			measure->any ? sh_verdict_measure(v.measure) : measure->name, v.similar };
	}
	return 0;
}

int simhash_verify(const struct simhash_verify_options *options, const char *texts,
    const size_t *sizes, size_t n, const struct simhash_pair *pairs, size_t n_pairs,
    struct simhash_similarity *out, struct simhash_error *error)
{
	struct texts t = { .text = texts };
	struct sh_comparer_opts opts = {
		.corpus = &t.none, .stored = read_text, .arg = &t, .arena = ARENA
	};
	struct simhash_verify_options usual;
	struct sh_comparer *c = NULL;
	struct sh_error err;
	int status;

	simhash_verify_defaults(&usual);
	status = translate(options ? options : &usual, &opts, &err);
	if (status == 0)
		status = place_texts(&t, sizes, n, &err);
	if (status == 0)
		status = (t.features = sh_features_new(&opts.features, &err)) ? 0 : -1;
	if (status == 0)
		status = (c = sh_comparer_new(&opts, &err)) ? 0 : -1;
	if (status == 0)
		status = compare_all(c, opts.measure, n, pairs, n_pairs, out, &err);
	sh_comparer_delete(c);
	sh_features_delete(t.features);
	free(t.at);
	return status < 0 ? sh_api_fail(error, &err) : 0;
}
