#include "fp/accumulator.h"

#include <stdlib.h>

#include "fp/minhash.h"
#include "hash/mix.h"
#include "record/escape.h"

enum {
	/* A weight that is a whole number up to this is so many units, not a sum. */
	COPIES_MAX = 64,
	/* Hashes that are written at once, wanted or not. */
	COPIES = 8,
	/* Hashes of a block, and copies of them. */
	HASHES = 2 * SH_FEATURE_BLOCK_MAX,
};

static int init_blocks(struct sh_accumulator *a, struct sh_error *err)
{
	a->mix = sh_mix_kernel_at(0);
	a->mixed_seed = sh_mix_seed(a->opts->seed);
	a->block_hash = malloc((HASHES + COPIES) * sizeof *a->block_hash);
	a->other_hash = malloc(SH_FEATURE_BLOCK_MAX * sizeof *a->other_hash);
	a->other_weight = malloc(SH_FEATURE_BLOCK_MAX * sizeof *a->other_weight);
	a->more = malloc(SH_FEATURE_BLOCK_MAX * sizeof *a->more);
	a->more_hash = malloc(SH_FEATURE_BLOCK_MAX * sizeof *a->more_hash);
	if (a->block_hash && a->other_hash && a->other_weight && a->more && a->more_hash)
		return 0;
	sh_accumulator_free(a);
	return sh_error_nomem(err);
}

int sh_accumulator_init(
    struct sh_accumulator *a, const struct sh_fingerprint_opts *opts, struct sh_error *err)
{
	*a = (struct sh_accumulator){ .opts = opts };
	if (sh_fingerprint_check(opts, err) < 0)
		return -1;
	if (sh_simhash_init(&a->simhash, opts->bits, opts->tie, err) < 0)
		return -1;
	return opts->hash->composed && !opts->minhash && !opts->real && !opts->rounded
		   ? init_blocks(a, err)
		   : 0;
}

void sh_accumulator_free(struct sh_accumulator *a)
{
	free(a->block_hash);
	free(a->other_hash);
	free(a->other_weight);
	free(a->more);
	free(a->more_hash);
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
	if (a->n == a->cap &&
	    sh_grow((void **)&a->hash, &a->cap, a->n + 1, sizeof *a->hash, err) < 0)
		return -1;
	sh_hash_feature(a->opts->hash, text, a->opts->seed, 64, &a->hash[a->n++]);
	return 0;
}

/* Hashes of single tokens to those of lines of `each` tokens, where they stand. */
static void compose(uint64_t *h, size_t lines, size_t each)
{
	if (each == 1)
		return;
	for (size_t i = 0; i < lines; i++)
		h[i] = sh_mix_ngram(h + i * each, each);
}

static void hash_lines(struct sh_accumulator *a, const struct sh_feature_block *b)
{
	const uint32_t *token = b->of->token;
	size_t each = token[1];
	uint64_t *h = a->block_hash;
	uint32_t unequal = 0;

	a->mix->tokens(b->base, b->of->start, b->of->end, b->tokens, a->mixed_seed, h);
	if (b->tokens == b->lines)
		return;
	for (size_t i = 0; i < b->lines; i++)
		unequal |= (token[i + 1] - token[i]) ^ (uint32_t)each;
	if (unequal)
		for (size_t i = 0; i < b->lines; i++)
			h[i] = sh_mix_ngram(h + token[i], token[i + 1] - token[i]);
	else if (each == 3)
		compose(h, b->lines, 3);
	else
		compose(h, b->lines, each);
}

static inline void repeat(uint64_t *h, uint64_t hash)
{
	for (unsigned k = 0; k < COPIES; k++)
		h[k] = hash;
}

/* Repeat the hashes of lines that weigh a small whole number, behind those of the block: how many
 * hashes there are then. What the other lines weigh more than 1 each goes to a->more, *rest. */
static size_t add_copies(struct sh_accumulator *a, const struct sh_feature_block *b, size_t *rest)
{
	const struct sh_feature_lines *of = b->of;
	uint64_t *restrict h = a->block_hash, *restrict more_hash = a->more_hash;
	int64_t *restrict more = a->more;
	size_t n = b->lines, left = 0;

	for (size_t i = 0; i < b->others; i++) {
		uint64_t times = (uint64_t)of->weight[i] / SH_WEIGHT_ONE, hash = h[of->other[i]];
		bool copied = (times - 1 < COPIES_MAX) & (n + COPIES_MAX <= HASHES) &
			      (times * SH_WEIGHT_ONE == (uint64_t)of->weight[i]);
		size_t copies = copied ? (size_t)(times - 1) : 0;

		repeat(h + n, hash);
		for (size_t k = COPIES; __builtin_expect(k < copies, 0); k += COPIES)
			repeat(h + n + k, hash);
		n += copies;
		more_hash[left] = hash;
		more[left] = of->weight[i] - SH_WEIGHT_ONE;
		left += !copied;
	}
	*rest = left;
	return n;
}

/* What lines weigh more than 1 each. */
static void add_heavier(struct sh_accumulator *a, size_t rest)
{
	struct sh_error err;
	size_t n = 0;

	for (size_t i = 0; i < rest; i++) {
		a->other_hash[n] = a->more_hash[i];
		a->other_weight[n] = a->more[i];
		n += a->more[i] > 0;
	}
	/* Cannot fail: with the rest it was known to fit. */
	if (n)
		sh_simhash_add_weighted(&a->simhash, a->other_hash, a->other_weight, n, &err);
}

/* What they weigh less. */
static void take_back_lighter(struct sh_accumulator *a, size_t rest)
{
	int64_t all = 0;
	size_t n = 0;

	for (size_t i = 0; i < rest; i++) {
		int64_t less = -a->more[i];

		a->other_hash[n] = a->more_hash[i];
		a->other_weight[n] = less;
		n += less > 0;
		all += less > 0 ? less : 0;
	}
	if (n)
		sh_simhash_take_back(&a->simhash, a->other_hash, a->other_weight, n, all);
}

/* All are counted as if they weighed 1 first, or so many times 1, for that is fastest. */
bool sh_accumulator_add_block(struct sh_accumulator *a, const struct sh_feature_block *b)
{
	uint64_t room = (uint64_t)(INT64_MAX - sh_simhash_total(&a->simhash));
	uint64_t total = b->lines * (uint64_t)SH_WEIGHT_ONE;
	struct sh_error err;
	size_t n, rest;

	/* Usual weights are less than 10^15: their sum fits, being of at most SH_FEATURE_BLOCK_MAX. */
	for (size_t i = 0; i < b->others; i++)
		total += (uint64_t)b->of->weight[i];
	if (total > room || b->lines == 0)
		return b->lines == 0;
	a->any = true;
	hash_lines(a, b);
	n = add_copies(a, b, &rest);
	sh_simhash_add_units(&a->simhash, a->block_hash, n, &err);
	add_heavier(a, rest);
	take_back_lighter(a, rest);
	return true;
}

int sh_accumulator_add(
    struct sh_accumulator *a, struct sh_slice feature, int64_t weight, struct sh_error *err)
{
	const struct sh_fingerprint_opts *o = a->opts;
	uint64_t words[SH_FP_MAX_WORDS];

	a->any = a->any || feature.n > 0;
	/* What weighs nothing changes where rounded sums are rounded, and nothing else. */
	if (weight == 0 && (o->minhash || !o->rounded))
		return 0;
	if (memchr(feature.p, '\\', feature.n)) {
		a->text.n = 0;
		if (sh_unescape(feature, &a->text, err) < 0)
			return -1;
		feature = sh_buf_slice(&a->text);
	}
	if (o->minhash)
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
	out->bad_utf8 = 0;
	if (a->opts->minhash) {
		out->empty = a->n == 0;
		if (!out->empty)
			sh_minhash(a->hash, a->n, a->opts->bits, out->w);
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
