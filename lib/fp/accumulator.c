/* SPDX-License-Identifier: MIT */
#include "fp/accumulator.h"

#include <stdlib.h>

#include "record/escape.h"

int sh_accumulator_init(
    struct sh_accumulator *a, const struct sh_fingerprint_opts *opts, struct sh_error *err)
{
	*a = (struct sh_accumulator){ .opts = opts };
	if (sh_fingerprint_check(opts, err) < 0)
		return -1;
	if (sh_simhash_init(&a->simhash, opts->bits, opts->tie, err) < 0)
		return -1;
	if (!opts->hash->composed || !opts->scheme || opts->real || opts->rounded)
		return 0;
	a->mix = sh_mix_kernel_at(0);
	a->mixed_seed = sh_mix_seed(opts->seed);
	a->token_hash = malloc(SH_FEATURE_LINES_MAX * sizeof *a->token_hash);
	return a->token_hash ? 0 : sh_error_nomem(err);
}

void sh_accumulator_free(struct sh_accumulator *a)
{
	free(a->token_hash);
	free(a->hash);
	sh_buf_free(&a->text);
}

void sh_accumulator_clear(struct sh_accumulator *a)
{
	sh_simhash_clear(&a->simhash);
	a->n = 0;
	a->any = false;
	if (a->opts->real)
		a->doubles = (struct sh_doubles){ 0 };
	if (a->opts->rounded)
		a->rounded = (struct sh_rounded){ 0 };
}

static int add_hash(struct sh_accumulator *a, struct sh_slice text, struct sh_error *err)
{
	if (SH_RESERVE(a->hash, a->cap, a->n + 1, err) < 0)
		return -1;
	sh_hash_feature(a->opts->hash, text, a->opts->seed, 64, &a->hash[a->n++]);
	return 0;
}

/* Sets a->token_hash[i] to the hash of the feature of line i, as sh_mix_feature() computes it, for
 * the first n >= 1 lines, which are split into tokens. */
static void hash_lines(struct sh_accumulator *a, const struct sh_feature_lines *l, size_t n)
{
	uint64_t *hash = a->token_hash;

	a->mix->tokens(l->base, l->start, l->end, l->token[n], a->mixed_seed, hash);
	/* The hash of line i is stored at or before the hashes of its tokens, so it overwrites no
	 * hash that is still needed. */
	for (size_t i = 0; i < n; i++)
		hash[i] = sh_mix_ngram(hash + l->token[i], l->token[i + 1] - l->token[i]);
}

bool sh_accumulator_add_lines(struct sh_accumulator *a, const struct sh_feature_lines *l, size_t n)
{
	struct sh_error err;

	if (n == 0)
		return true;
	hash_lines(a, l, n);
	if (sh_simhash_add_weighted(&a->simhash, a->token_hash, l->weight, n, &err) < 0)
		return false;
	a->any = true;
	return true;
}

int sh_accumulator_add(
    struct sh_accumulator *a, struct sh_slice feature, int64_t weight, struct sh_error *err)
{
	const struct sh_fingerprint_opts *o = a->opts;
	uint64_t words[SH_FP_MAX_WORDS];

	a->any = a->any || feature.n > 0;
	/* A feature of weight 0 has no effect, except where rounded sums are rounded. */
	if (weight == 0 && (!o->scheme || !o->rounded))
		return 0;
	if (memchr(feature.p, '\\', feature.n)) {
		a->text.n = 0;
		if (sh_unescape(feature, &a->text, err) < 0)
			return -1;
		feature = sh_buf_slice(&a->text);
	}
	if (!o->scheme)
		return add_hash(a, feature, err);
	sh_hash_feature(o->hash, feature, o->seed, o->bits, words);
	if (o->real) {
		sh_doubles_add(&a->doubles, words[0], weight);
		return 0;
	}
	if (o->rounded)
		sh_rounded_add(&a->rounded, words, o->bits, weight);
	return sh_simhash_add(&a->simhash, words, weight, err);
}

void sh_accumulator_finish(struct sh_accumulator *a, struct sh_fingerprint *out)
{
	if (!a->opts->scheme) {
		out->empty = a->n == 0;
		return;
	}
	if (a->opts->real) {
		out->empty = a->doubles.n == 0;
		out->w[0] = sh_doubles_finish(&a->doubles);
		return;
	}
	out->empty = sh_simhash_total(&a->simhash) == 0;
	if (a->rounded.fraction)
		sh_rounded_finish(&a->rounded, a->opts->bits, out->w);
	else
		sh_simhash_finish(&a->simhash, out->w);
}
