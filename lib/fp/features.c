/* SPDX-License-Identifier: MIT */
#include "fp/features.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/siphash.h"
#include "fp/hashsort.h"
#include "hash/keyed.h"
#include "text/method.h"

struct sh_features {
	struct sh_feature_opts opts;
	struct sh_tokenizer *tokenizer;
	struct sh_keyed keyed;
	const struct sh_keyed_kernel *kernel;
	bool rows; /* hash n-grams from token hashes instead of their texts */
	struct sh_hashes grams;
	uint64_t *token; /* of the text, in order */
	size_t token_cap;
};

/* Returns whether a set can be computed from the hashes of its tokens alone. The bytes between
 * tokens are then not read. Words of other methods may contain blanks: two n-grams of different
 * words may have the same text, and must then be the same feature. */
static bool has_rows(const struct sh_feature_opts *opts)
{
	const struct sh_token_opts *token = &opts->token;

	return opts->of_tokens ||
	       ((!token->method || token->method == &sh_words_method) &&
		   token->unit == SH_UNIT_WORD && opts->ngrams.max <= SH_KEYED_ROW_MAX);
}

struct sh_features *sh_features_new(const struct sh_feature_opts *opts, struct sh_error *err)
{
	struct sh_features *f = calloc(1, sizeof *f);

	if (!f) {
		sh_error_nomem(err);
		return NULL;
	}
	f->opts = *opts;
	/* Texts are compared as a whole, even when a fingerprint leaves out a part. */
	f->opts.ngrams.past_first = false;
	sh_keyed_init(&f->keyed, opts->key);
	f->kernel = sh_keyed_kernel_at(0);
	f->rows = has_rows(opts);
	f->opts.token.apart = f->rows;
	f->tokenizer = sh_tokenizer_new(&f->opts.token, err);
	if (f->tokenizer)
		return f;
	sh_features_delete(f);
	return NULL;
}

void sh_features_delete(struct sh_features *f)
{
	if (!f)
		return;
	sh_tokenizer_delete(f->tokenizer);
	sh_hashes_free(&f->grams);
	free(f->token);
	free(f);
}

/* ---- hashing ---- */

/* Hashes rows of more tokens than the kernels take. */
static void hash_long_rows(
    const struct sh_features *f, const uint64_t *token, unsigned n, size_t count, uint64_t *h)
{
	for (size_t i = 0; i < count; i++) {
		char bytes[SH_NGRAM_MAX * sizeof *token];

		for (unsigned j = 0; j < n; j++)
			sh_put_le64(bytes + j * sizeof *token, token[i + j]);
		h[i] = sh_siphash(f->keyed.key, bytes, n * sizeof *token);
	}
}

/* Hashes the first `count` n-grams of n tokens. t: may be NULL with f->rows. */
static void hash_some(
    const struct sh_features *f, const struct sh_tokens *t, unsigned n, size_t count, uint64_t *h)
{
	if (n == 1)
		memcpy(h, f->token, count * sizeof *h);
	else if (!f->rows)
		f->kernel->texts(&f->keyed, t->text, t->start, t->end + n - 1, count, h);
	else if (n > SH_KEYED_ROW_MAX)
		hash_long_rows(f, f->token, n, count, h);
	else
		f->kernel->rows(&f->keyed, f->token, count + n - 1, n, h);
}

static size_t hash_ngrams(
    struct sh_features *f, const struct sh_tokens *t, size_t tokens, struct sh_ngrams range)
{
	uint64_t *hash = f->grams.hash;
	size_t m = 0;

	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++)
		hash_some(f, t, n, 1, hash + m++);
	for (unsigned n = range.min; n && n <= range.max; n++) {
		hash_some(f, t, n, tokens - n + 1, hash + m);
		m += tokens - n + 1;
	}
	return m;
}

/* ---- the set ---- */

/* Computes the set of the tokens in f->token. t: see hash_some(). */
static int fill(struct sh_features *f, const struct sh_tokens *t, size_t tokens,
    struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_ngrams range = sh_ngrams_of(f->opts.ngrams, tokens);
	size_t n;

	*set = (struct sh_feature_set){ .ordered = f->token, .n_ordered = tokens };
	if (sh_ngrams_count(range, tokens, &n, err) < 0 || sh_hashes_reserve(&f->grams, n, err) < 0)
		return -1;
	n = hash_ngrams(f, t, tokens, range);
	set->n = sh_hashes_distinct(&f->grams, n);
	set->hash = f->grams.hash;
	set->count = f->grams.count;
	return 0;
}

int sh_features_of(
    struct sh_features *f, struct sh_slice text, struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_tokens t;

	if (sh_tokenize(f->tokenizer, text, &t, err) < 0 ||
	    SH_RESERVE(f->token, f->token_cap, t.n, err) < 0)
		return -1;
	f->kernel->texts(&f->keyed, t.text, t.start, t.end, t.n, f->token);
	for (size_t i = 0; f->opts.cut && i < t.n; i++)
		f->token[i] &= ~(uint64_t)UINT32_MAX;
	if (f->opts.only_order)
		*set = (struct sh_feature_set){ .ordered = f->token, .n_ordered = t.n };
	else if (fill(f, &t, t.n, set, err) < 0)
		return -1;
	set->bad_utf8 = t.bad_utf8;
	return 0;
}

int sh_features_of_sequence(struct sh_features *f, const uint64_t *token, size_t n,
    struct sh_feature_set *set, struct sh_error *err)
{
	if (SH_RESERVE(f->token, f->token_cap, n, err) < 0)
		return -1;
	if (n && token != f->token)
		memcpy(f->token, token, n * sizeof *token);
	return fill(f, NULL, n, set, err);
}
