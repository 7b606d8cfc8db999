/* SPDX-License-Identifier: MIT */
#include "fp/accumulator.h"

#include <stdlib.h>

#include "hash/mix.h"
#include "record/escape.h"
#include "record/fields.h"

enum { MANY = 256 }; /* features that are added at once */

int sh_accumulator_init(
    struct sh_accumulator *a, const struct sh_fingerprint_opts *opts, struct sh_error *err)
{
	*a = (struct sh_accumulator){ .opts = opts };
	if (sh_fingerprint_check(opts, err) < 0)
		return -1;
	return sh_simhash_init(&a->simhash, opts->bits, opts->tie, err);
}

void sh_accumulator_free(struct sh_accumulator *a)
{
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

static int add_one(
    struct sh_accumulator *a, struct sh_slice feature, int64_t weight, struct sh_error *err)
{
	const struct sh_fingerprint_opts *o = a->opts;
	uint64_t words[SH_FP_MAX_WORDS];

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

/* Returns the bytes before the first blank or backslash; n when there is none. */
static inline size_t token_length(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t x = sh_le64(p + i);
		uint64_t stop = sh_bytes_like(x, ' ') | sh_bytes_like(x, '\\');

		if (stop) {
			i += (unsigned)__builtin_ctzll(stop) / 8;
			return i < n ? i : n;
		}
	}
	return n;
}

/* Adds n <= MANY features by their hashes alone, as sh_mix_feature() computes them. Returns false,
 * and adds none, when one has an escape, or when the sums would overflow. */
static bool add_many(
    struct sh_accumulator *a, const struct sh_slice *feature, const int64_t *weight, size_t n)
{
	uint64_t hash[MANY], seed = sh_mix_seed(a->opts->seed);
	struct sh_error err;

	for (size_t i = 0; i < n; i++) {
		const char *p = feature[i].p, *end = p + feature[i].n;
		size_t length = token_length(p, feature[i].n);
		uint64_t c = sh_mix_token_padded(p, length, seed);
		bool several = p + length < end;

		for (p += length; p < end; p += length) {
			if (*p++ == '\\')
				return false;
			length = token_length(p, (size_t)(end - p));
			c = sh_mix_step(c, sh_mix_token_padded(p, length, seed));
		}
		hash[i] = several ? sh_mix_finish(c) : c;
	}
	return sh_simhash_add_weighted(&a->simhash, hash, weight, n, &err) == 0;
}

size_t sh_accumulator_add(struct sh_accumulator *a, const struct sh_slice *feature,
    const int64_t *weight, size_t n, struct sh_error *err)
{
	const struct sh_fingerprint_opts *o = a->opts;
	bool many = o->hash->composed && o->scheme && !o->real && !o->rounded;

	a->any = a->any || n > 0;
	for (size_t from = 0, to; from < n; from = to) {
		to = n - from < MANY ? n : from + MANY;
		if (many && add_many(a, feature + from, weight + from, to - from))
			continue;
		for (; from < to; from++)
			if (add_one(a, feature[from], weight[from], err) < 0)
				return from;
	}
	return n;
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
