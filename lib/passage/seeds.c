/* SPDX-License-Identifier: MIT */
#include "passage/seeds.h"

#include <stdlib.h>

#include "base/buf.h"
#include "hash/mix.h"
#include "hash/mix_kernel.h"

/* From this k on, a difference of prefix sums is faster than k products for each k-gram. */
enum { BY_PREFIX = 9 };

struct sh_seeder {
	struct sh_tokenizer *tokenizer;
	enum sh_unit unit;
	struct sh_seed_opts opts;
	const struct sh_mix_kernel *mix;
	uint64_t power[SH_SEED_K_MAX + 1]; /* powers of the factor of sh_mix_step() */
	uint64_t *token, *gram, *prefix;
	uint8_t *carries, *length;
	uint32_t *pick;
	size_t token_cap, gram_cap, prefix_cap, carries_cap, length_cap, pick_cap;
};

unsigned sh_seed_longest(const struct sh_seed_opts *opts, enum sh_unit unit)
{
	unsigned least = unit == SH_UNIT_CHAR ? SH_SEED_CHAR : SH_SEED_HAN;

	return opts->k ? opts->k : (opts->units + least - 1) / least;
}

unsigned sh_seed_shortest(const struct sh_seed_opts *opts)
{
	return opts->k ? opts->k : (opts->units + SH_SEED_WORD - 1) / SH_SEED_WORD;
}

struct sh_seeder *sh_seeder_new(
    const struct sh_token_opts *token, const struct sh_seed_opts *opts, struct sh_error *err)
{
	struct sh_seeder *s = calloc(1, sizeof *s);
	struct sh_token_opts apart = *token;

	if (!s) {
		sh_error_nomem(err);
		return NULL;
	}
	apart.apart = true;
	s->opts = *opts;
	s->unit = sh_token_unit(token);
	s->mix = sh_mix_kernel_at(0);
	s->power[0] = 1;
	for (size_t i = 1; i <= SH_SEED_K_MAX; i++)
		s->power[i] = sh_mix_step(s->power[i - 1], 0);
	s->tokenizer = sh_tokenizer_new(&apart, err);
	if (!s->tokenizer) {
		sh_seeder_delete(s);
		return NULL;
	}
	return s;
}

void sh_seeder_delete(struct sh_seeder *s)
{
	if (!s)
		return;
	sh_tokenizer_delete(s->tokenizer);
	free(s->token);
	free(s->gram);
	free(s->prefix);
	free(s->carries);
	free(s->length);
	free(s->pick);
	free(s);
}

/* ---- hashes of k-grams ---- */

/* Returns the n-gram hash of tokens i .. i+n-1. prefix[i] is the sum of the tokens before i. */
static inline uint64_t gram_of(const struct sh_seeder *s, size_t i, size_t n)
{
	uint64_t c = s->prefix[i + n] - s->prefix[i] * s->power[n];

	return n > 1 ? sh_mix_finish(c) : c;
}

static int sum_prefixes(struct sh_seeder *s, size_t n, struct sh_error *err)
{
	uint64_t sum = 0;

	if (SH_RESERVE(s->prefix, s->prefix_cap, n + 1, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		s->prefix[i] = sum;
		sum = sh_mix_step(sum, s->token[i]);
	}
	s->prefix[n] = sum;
	return 0;
}

static int fixed_grams(struct sh_seeder *s, size_t k, struct sh_seeds *out, struct sh_error *err)
{
	size_t n = out->tokens.n;

	out->k = (unsigned)k;
	out->length = NULL;
	out->n_grams = n < k ? 0 : n - k + 1;
	if (k < BY_PREFIX) {
		s->mix->ngrams(s->token, n, k, s->gram);
		return 0;
	}
	if (sum_prefixes(s, n, err) < 0)
		return -1;
	for (size_t i = 0; i < out->n_grams; i++)
		s->gram[i] = gram_of(s, i, k);
	return 0;
}

static bool is_ascii(struct sh_slice text)
{
	uint8_t any = 0;

	for (size_t i = 0; i < text.n; i++)
		any |= (uint8_t)text.p[i];
	return any < 0x80;
}

/* Returns whether token i is one character of at least 3 bytes. */
static bool is_han(const struct sh_tokens *t, size_t i)
{
	size_t n = t->end[i] - t->start[i];
	uint8_t c = (uint8_t)t->text[t->start[i]];

	return (n == 3 && c >= 0xE0 && c < 0xF0) || (n == 4 && c >= 0xF0);
}

/* Computes the units of each token. Returns their number when it is the same for all tokens,
 * otherwise 0. */
static unsigned weigh(struct sh_seeder *s, const struct sh_tokens *t)
{
	uint8_t other = s->unit == SH_UNIT_CHAR ? SH_SEED_CHAR : SH_SEED_WORD;
	size_t n_han = 0;

	for (size_t i = 0; i < t->n; i++) {
		bool han = is_han(t, i);

		s->carries[i] = han ? SH_SEED_HAN : other;
		n_han += han;
	}
	return n_han == 0 ? other : n_han == t->n ? SH_SEED_HAN : 0;
}

/* Computes k-grams of variable length: each has the fewest tokens, from its first one on, whose
 * units suffice. */
static int mixed_grams(struct sh_seeder *s, struct sh_seeds *out, struct sh_error *err)
{
	size_t n = out->tokens.n, end = 0, i;
	unsigned sum = 0;

	if (sum_prefixes(s, n, err) < 0 || SH_RESERVE(s->length, s->length_cap, n, err) < 0)
		return -1;
	for (i = 0; i < n; i++) {
		while (end < n && sum < s->opts.units)
			sum += s->carries[end++];
		if (sum < s->opts.units)
			break;
		s->length[i] = (uint8_t)(end - i);
		s->gram[i] = gram_of(s, i, end - i);
		sum -= s->carries[i];
	}
	out->n_grams = i;
	out->length = s->length;
	out->k = 0;
	return 0;
}

static int hash_grams(
    struct sh_seeder *s, struct sh_slice text, struct sh_seeds *out, struct sh_error *err)
{
	unsigned each = s->unit == SH_UNIT_CHAR ? SH_SEED_CHAR : SH_SEED_WORD;

	if (s->opts.k)
		return fixed_grams(s, s->opts.k, out, err);
	if (!is_ascii(text)) {
		if (SH_RESERVE(s->carries, s->carries_cap, out->tokens.n, err) < 0)
			return -1;
		each = weigh(s, &out->tokens);
	}
	return each ? fixed_grams(s, (s->opts.units + each - 1) / each, out, err)
		    : mixed_grams(s, out, err);
}

/* ---- the sample ---- */

static size_t rightmost_least(const uint64_t *hash, size_t from, size_t to)
{
	size_t best = from;

	for (size_t i = from + 1; i < to; i++)
		best = hash[i] <= hash[best] ? i : best;
	return best;
}

size_t sh_minimizers(
    const uint64_t *hash, size_t n, size_t window, uint32_t *first, uint32_t *since)
{
	size_t least = 0, count = 0;

	if (n == 0)
		return 0;
	if (window > n)
		window = n;
	for (size_t i = 0; i < n; i++) {
		if (hash[i] <= hash[least])
			least = i;
		else if (least + window <= i)
			least = rightmost_least(hash, i + 1 - window, i + 1);
		if (i + 1 < window || (count && first[count - 1] == least))
			continue;
		if (since)
			since[count] = (uint32_t)(i + 1 - window);
		first[count++] = (uint32_t)least;
	}
	return count;
}

static void pick_all(struct sh_seeder *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s->pick[i] = (uint32_t)i;
}

int sh_seeder_run(
    struct sh_seeder *s, struct sh_slice text, struct sh_seeds *out, struct sh_error *err)
{
	struct sh_tokens *t = &out->tokens;

	if (sh_tokenize(s->tokenizer, text, t, err) < 0)
		return -1;
	/* Reserves 16 more elements: the kernels write whole vectors. */
	if (SH_RESERVE(s->token, s->token_cap, t->n + 16, err) < 0 ||
	    SH_RESERVE(s->gram, s->gram_cap, t->n + 16, err) < 0 ||
	    SH_RESERVE(s->pick, s->pick_cap, t->n + 1, err) < 0)
		return -1;
	s->mix->tokens(t->text, t->start, t->end, t->n, 0, s->token);
	if (hash_grams(s, text, out, err) < 0)
		return -1;
	out->token = s->token;
	out->gram = s->gram;
	out->pick = s->pick;
	if (s->opts.window == 1) {
		pick_all(s, out->n_grams);
		out->n = out->n_grams;
	} else {
		out->n = sh_minimizers(s->gram, out->n_grams, s->opts.window, s->pick, NULL);
	}
	return 0;
}
