/* SPDX-License-Identifier: MIT */
#include "passage/seeds.h"

#include <stdlib.h>

#include "base/buf.h"
#include "hash/mix.h"

struct sh_seeder {
	struct sh_tokenizer *tokenizer;
	struct sh_seed_opts opts;
	unsigned each; /* units of a token, unless it is a character of at least 3 bytes */
	const struct sh_mix_kernel *mix;
	uint64_t power[SH_SEED_K_MAX + 1]; /* powers of the factor of sh_mix_step() */
	uint64_t *hash, *gram;             /* hashes of the tokens, and of the k-grams */
	uint32_t *token, *pick;
	uint8_t *length;
	size_t hash_cap, gram_cap, token_cap, pick_cap, length_cap;
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
	s->each = sh_token_unit(token) == SH_UNIT_CHAR ? SH_SEED_CHAR : SH_SEED_WORD;
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
	free(s->hash);
	free(s->gram);
	free(s->token);
	free(s->pick);
	free(s->length);
	free(s);
}

/* ---- hashes of k-grams ---- */

/* Returns the units of token i: `each`, unless it is a character of at least 3 bytes. */
static inline unsigned units_of(const struct sh_tokens *t, size_t i, unsigned each)
{
	uint8_t c = (uint8_t)t->text[t->start[i]];

	return c >= 0xE0 && t->end[i] - t->start[i] == (c < 0xF0 ? 3 : 4) ? SH_SEED_HAN : each;
}

/* Computes the k-grams: each has the fewest tokens, from its first one on, whose units suffice. */
static void hash_grams(struct sh_seeder *s, struct sh_seeds *out)
{
	const struct sh_tokens t = out->tokens;
	const unsigned k = s->opts.k, need = k ? k : s->opts.units, each = s->each;
	/* Nothing else is stored there, so the compiler may keep all other values in registers. */
	const uint64_t *restrict hash = s->hash;
	uint64_t *restrict gram = s->gram;
	uint8_t *restrict length = s->length;
	uint64_t before = 0, sum = 0; /* hash states of the tokens before i, and before `end` */
	size_t i, end = 0;
	unsigned units = 0;

	for (i = 0; i < t.n; i++) {
		uint64_t state;

		while (end < t.n && units < need) {
			units += k ? 1 : units_of(&t, end, each);
			sum = sh_mix_step(sum, hash[end++]);
		}
		if (units < need)
			break;
		state = sum - before * s->power[end - i];
		gram[i] = end - i > 1 ? sh_mix_finish(state) : state;
		length[i] = (uint8_t)(end - i);
		units -= k ? 1 : units_of(&t, i, each);
		before = sh_mix_step(before, hash[i]);
	}
	out->n_grams = i;
}

/* ---- the sample ---- */

static size_t rightmost_least(const uint64_t *hash, size_t from, size_t to)
{
	size_t best = from;

	for (size_t i = from + 1; i < to; i++)
		best = hash[i] <= hash[best] ? i : best;
	return best;
}

size_t sh_minimizers(const uint64_t *hash, size_t n, size_t window, uint32_t *first)
{
	size_t least = 0, count = 0;

	if (window > n)
		window = n;
	if (window == 1)
		for (; count < n; count++)
			first[count] = (uint32_t)count;
	for (size_t i = count; i < n; i++) {
		if (hash[i] <= hash[least])
			least = i;
		else if (least + window <= i)
			least = rightmost_least(hash, i + 1 - window, i + 1);
		if (i + 1 >= window && (count == 0 || first[count - 1] != least))
			first[count++] = (uint32_t)least;
	}
	return count;
}

int sh_seeder_run(
    struct sh_seeder *s, struct sh_slice text, struct sh_seeds *out, struct sh_error *err)
{
	struct sh_tokens *t = &out->tokens;

	if (sh_tokenize(s->tokenizer, text, t, err) < 0)
		return -1;
	/* Reserves 16 more elements: the kernel writes whole vectors. */
	if (SH_RESERVE(s->hash, s->hash_cap, t->n + 16, err) < 0 ||
	    SH_RESERVE(s->gram, s->gram_cap, t->n + 1, err) < 0 ||
	    SH_RESERVE(s->token, s->token_cap, t->n + 1, err) < 0 ||
	    SH_RESERVE(s->pick, s->pick_cap, t->n + 1, err) < 0 ||
	    SH_RESERVE(s->length, s->length_cap, t->n + 1, err) < 0)
		return -1;
	s->mix->tokens(t->text, t->start, t->end, t->n, 0, s->hash);
	hash_grams(s, out);
	for (size_t i = 0; i < t->n; i++)
		s->token[i] = (uint32_t)s->hash[i];
	out->token = s->token;
	out->gram = s->gram;
	out->length = s->length;
	out->pick = s->pick;
	out->n = sh_minimizers(s->gram, out->n_grams, s->opts.window, s->pick);
	return 0;
}
