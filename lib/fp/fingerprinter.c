/* SPDX-License-Identifier: MIT */
#include "fp/fingerprinter.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/buf.h"
#include "fp/count.h"
#include "fp/simhash.h"
#include "hash/mix.h"
#include "published/sums.h"
#include "text/method.h"

enum { BY_COUNT = 256 }; /* counts below it have their weights in a table */

struct sh_fingerprinter {
	struct sh_fingerprint_opts opts;
	struct sh_tokenizer *tokenizer;
	unsigned words;
	bool composes; /* n-gram hashes are composed of token hashes */
	const struct sh_mix_kernel *mix;
	struct sh_simhash simhash;
	struct sh_hash_count distinct;
	uint64_t *token;   /* hash of each token, when `composes` */
	uint64_t *feature; /* first word of each feature's hash */
	uint64_t *wide;    /* all words of each hash, when they cannot be computed from the first */
	uint64_t *text_hash; /* a strong hash of each feature, when by_text */
	bool by_text;        /* the hash is weak: different features may have equal first words */
	uint64_t *other;     /* hashes of distinct features that do not weigh 1 */
	int64_t *weight;     /* of each of these features */
	int64_t by_count[BY_COUNT]; /* weight of a feature of this count; 0: not in the table */
	bool by_rounding;           /* weights with fractions are added as in published/sums.h */
	struct sh_rounded rounded;
	size_t token_cap, feature_cap, wide_cap, text_hash_cap, other_cap, weight_cap;
};

int sh_fingerprint_check(const struct sh_fingerprint_opts *opts, struct sh_error *err)
{
	unsigned bits = opts->bits;

	if (bits > opts->hash->max_bits)
		return sh_error_set(err, SH_ERR_PARAM, "hash %s gives at most %u bits",
		    opts->hash->name, opts->hash->max_bits);
	if (opts->seed && opts->hash->seedless)
		return sh_error_set(err, SH_ERR_PARAM, "hash %s takes no seed", opts->hash->name);
	return 0;
}

/* Fills by_count when a weight depends on the count alone. */
static int fill_by_count(struct sh_fingerprinter *f, struct sh_error *err)
{
	const struct sh_scheme *scheme = f->opts.scheme;

	if (!scheme || scheme->needs_tokens || scheme->needs_df || scheme->additive)
		return 0;
	for (int64_t tf = 1; tf < BY_COUNT; tf++) {
		struct sh_term t = { .tf = (uint64_t)tf, .tokens = (uint64_t)tf };

		if (scheme->weigh(&t, &f->by_count[tf], err) < 0)
			return -1;
	}
	return 0;
}

/* Returns whether spaces may be tokens: the hash of an n-gram's text splits the text at spaces. */
static bool cuts_spaces(const struct sh_token_opts *opts)
{
	return opts->method && opts->method->chars && opts->method->escapes;
}

struct sh_fingerprinter *sh_fingerprinter_new(
    const struct sh_fingerprint_opts *opts, struct sh_error *err)
{
	struct sh_fingerprinter *f = calloc(1, sizeof *f);

	if (!f) {
		sh_error_nomem(err);
		return NULL;
	}
	f->opts = *opts;
	f->words = SH_FP_WORDS(opts->bits);
	f->composes = opts->hash->composed && !cuts_spaces(&opts->token);
	f->opts.token.apart = f->composes; /* the bytes between tokens are then not read */
	f->mix = sh_mix_kernel_at(0);
	f->by_text = opts->scheme && !opts->scheme->additive &&
		     (opts->hash->weak || (opts->hash->number && opts->bits < 64));
	f->by_rounding = opts->rounded && opts->scheme && opts->scheme->needs_count;
	if (opts->scheme && opts->scheme->needs_df)
		sh_error_set(err, SH_ERR_PARAM,
		    "weight %s needs document frequencies: shtok | shweight | shfp, with the "
		    "same -p",
		    opts->scheme->name);
	else if (sh_fingerprint_check(opts, err) == 0 &&
		 sh_simhash_init(&f->simhash, opts->bits, opts->tie, err) == 0 &&
		 sh_hash_count_init(&f->distinct, err) == 0 && fill_by_count(f, err) == 0 &&
		 (f->tokenizer = sh_tokenizer_new(&f->opts.token, err)))
		return f;
	sh_fingerprinter_delete(f);
	return NULL;
}

void sh_fingerprinter_delete(struct sh_fingerprinter *f)
{
	if (!f)
		return;
	sh_tokenizer_delete(f->tokenizer);
	sh_hash_count_free(&f->distinct);
	free(f->token);
	free(f->feature);
	free(f->wide);
	free(f->text_hash);
	free(f->other);
	free(f->weight);
	free(f);
}

/* ---- hashes of n-grams, for the hash mix ---- */

/* Computes all n-gram hashes of a document: the n-grams that range.lead adds; then all for n = min,
 * then for n = min + 1, and so on. Hashes of word n-grams are composed of word hashes. `token` has
 * room for t->n hashes. */
static void compose_words(const struct sh_mix_kernel *mix, const struct sh_tokens *t,
    struct sh_ngrams range, uint64_t mixed_seed, uint64_t *token, uint64_t *out)
{
	if (range.max == 1) { /* each word is an n-gram */
		mix->tokens(t->text, t->start, t->end, t->n, mixed_seed, out);
		return;
	}
	mix->tokens(t->text, t->start, t->end, t->n, mixed_seed, token);
	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++)
		*out++ = sh_mix_ngram(token, n);
	for (unsigned n = range.min; n <= range.max; n++)
		out += mix->ngrams(token, t->n, n, out);
}

static uint64_t hash_one(const struct sh_tokens *t, size_t i, unsigned n, uint64_t mixed_seed)
{
	return sh_mix_token_padded(
	    t->text + t->start[i], t->end[i + n - 1] - t->start[i], mixed_seed);
}

/* Returns the first token from i on that is longer than one byte. */
static size_t end_of_bytes(const struct sh_tokens *t, size_t i)
{
	if (t->end[t->n - 1] - t->start[i] == t->n - i)
		return t->n;
	while (i < t->n && t->end[i] - t->start[i] == 1)
		i++;
	return i;
}

/* Hashes all n-grams of n characters: in windows over characters of one byte,
 * and one by one elsewhere. */
static void hash_chars(const struct sh_mix_kernel *mix, const struct sh_tokens *t, unsigned n,
    uint64_t mixed_seed, uint64_t *out)
{
	size_t count = t->n - n + 1;

	for (size_t i = 0; i < count;) {
		size_t stop = end_of_bytes(t, i);

		if (stop - i >= n) {
			mix->windows(
			    t->text + t->start[i], stop - i - n + 1, n, mixed_seed, out + i);
			i = stop - n + 1;
		}
		for (; i < count && i <= stop; i++)
			out[i] = hash_one(t, i, n, mixed_seed);
	}
}

/* The same for SH_UNIT_CHAR. The characters of an n-gram are adjacent bytes, and are hashed as one
 * token. */
static void compose_chars(const struct sh_mix_kernel *mix, const struct sh_tokens *t,
    struct sh_ngrams range, uint64_t mixed_seed, uint64_t *out)
{
	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++)
		*out++ = hash_one(t, 0, n, mixed_seed);
	for (unsigned n = range.min; n <= range.max; n++) {
		if (n <= SH_MIX_WINDOW_MAX)
			hash_chars(mix, t, n, mixed_seed, out);
		else
			for (size_t i = 0; i + n <= t->n; i++)
				out[i] = hash_one(t, i, n, mixed_seed);
		out += t->n - n + 1;
	}
}

/* Hashes each token once and composes the n-gram hashes of token hashes, without
 * the n-grams' texts. */
static int compose(struct sh_fingerprinter *f, const struct sh_tokens *t, struct sh_ngrams range,
    struct sh_error *err)
{
	uint64_t seed = sh_mix_seed(f->opts.seed);

	if (sh_token_unit(&f->opts.token) == SH_UNIT_CHAR) {
		compose_chars(f->mix, t, range, seed, f->feature);
		return 0;
	}
	if (SH_RESERVE(f->token, f->token_cap, t->n, err) < 0)
		return -1;
	compose_words(f->mix, t, range, seed, f->token, f->feature);
	return 0;
}

static void hash_text(struct sh_fingerprinter *f, size_t at, struct sh_slice text)
{
	uint64_t *to = f->words > 1 ? f->wide + at * f->words : f->feature + at;

	sh_hash_feature(f->opts.hash, text, f->opts.seed, f->opts.bits, to);
	f->feature[at] = *to;
	if (f->by_text)
		f->text_hash[at] = XXH3_64bits(text.p, text.n);
}

/* Hashes the text of each n-gram. */
static int hash_texts(struct sh_fingerprinter *f, const struct sh_tokens *t, struct sh_ngrams range,
    size_t features, struct sh_error *err)
{
	size_t at = 0;

	if ((f->words > 1 && SH_RESERVE(f->wide, f->wide_cap, features * f->words, err) < 0) ||
	    (f->by_text && SH_RESERVE(f->text_hash, f->text_hash_cap, features, err) < 0))
		return -1;
	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++)
		hash_text(f, at++, sh_ngram_text(t, 0, n));
	for (unsigned n = range.min; n <= range.max; n++)
		for (size_t i = 0; i + n <= t->n; i++)
			hash_text(f, at++, sh_ngram_text(t, i, n));
	return 0;
}

static inline int weight_of(
    struct sh_fingerprinter *f, uint64_t tf, size_t features, int64_t *weight, struct sh_error *err)
{
	struct sh_term t = { .tf = tf, .tokens = features };

	*weight = tf < BY_COUNT ? f->by_count[tf] : 0;
	return *weight ? 0 : f->opts.scheme->weigh(&t, weight, err);
}

/* Returns all words of the hash of feature `at`; may write them to `room`. */
static const uint64_t *words_of(const struct sh_fingerprinter *f, size_t at, uint64_t *room)
{
	if (f->words == 1)
		return &f->feature[at];
	if (!f->opts.hash->composed)
		return f->wide + at * f->words;
	for (unsigned j = 0; j < f->words; j++)
		room[j] = sh_mix_word(f->feature[at], j);
	return room;
}

/* Adds the features one by one, when all words of a hash are needed, the hash is weak, or weights
 * are rounded. each: every occurrence is a feature of weight 1. Otherwise adds the distinct
 * features in order of first occurrence, which is their order in feature records. */
static int add_single(struct sh_fingerprinter *f, size_t features, bool each, struct sh_error *err)
{
	uint64_t room[SH_FP_MAX_WORDS];
	size_t n = each ? features : f->distinct.n;

	f->rounded = (struct sh_rounded){ 0 };
	for (size_t i = 0; i < n; i++) {
		const uint64_t *hash = words_of(f, each ? i : f->distinct.first[i], room);
		int64_t weight = SH_WEIGHT_ONE;

		if (!each && weight_of(f, f->distinct.count[i], features, &weight, err) < 0)
			return -1;
		if (f->by_rounding)
			sh_rounded_add(&f->rounded, hash, f->opts.bits, weight);
		if (sh_simhash_add(&f->simhash, hash, weight, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the distinct features by their counts. Features of weight 1 are counted: most features occur
 * once, and counting bits is several times faster than adding weights. Each feature is written to
 * both arrays, and the length of one array grows: this needs no branch on the weight. */
static int add_distinct(struct sh_fingerprinter *f, size_t features, struct sh_error *err)
{
	const size_t n = f->distinct.n;
	uint64_t *one = f->distinct.hash; /* overwrites hashes that were read */
	size_t ones = 0, others = 0;

	if (SH_RESERVE(f->weight, f->weight_cap, n, err) < 0 ||
	    SH_RESERVE(f->other, f->other_cap, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		int64_t weight;

		if (weight_of(f, f->distinct.count[i], features, &weight, err) < 0)
			return -1;
		f->weight[others] = weight;
		one[ones] = f->other[others] = one[i];
		ones += weight == SH_WEIGHT_ONE;
		others += weight != SH_WEIGHT_ONE;
	}
	return sh_simhash_add_units(&f->simhash, one, ones, err) < 0
		   ? -1
		   : sh_simhash_add_weighted(&f->simhash, f->other, f->weight, others, err);
}

static int add_up(struct sh_fingerprinter *f, size_t features, struct sh_error *err)
{
	const uint64_t *counted = f->by_text ? f->text_hash : f->feature;
	bool each = f->opts.scheme->additive;

	if (!each && sh_hash_count(&f->distinct, counted, features, err) < 0)
		return -1;
	if ((f->words > 1 && !f->opts.hash->composed) || f->by_text || f->by_rounding)
		return add_single(f, features, each, err);
	if (each)
		return sh_simhash_add_units(&f->simhash, f->feature, features, err);
	return add_distinct(f, features, err);
}

int sh_fingerprint(struct sh_fingerprinter *f, struct sh_slice text, struct sh_fingerprint *out,
    struct sh_error *err)
{
	struct sh_ngrams range;
	struct sh_tokens t;
	size_t features;

	if (sh_tokenize(f->tokenizer, text, &t, err) < 0)
		return -1;
	range = sh_ngrams_in(f->opts.ngrams, &t);
	out->bad_utf8 = t.bad_utf8;
	sh_simhash_clear(&f->simhash);
	out->features = 0;
	out->tokens = range.min > 0;
	if (sh_ngrams_count(range, t.n, &features, err) < 0)
		return -1;
	out->features = features;
	out->empty = features == 0;
	if (out->empty) {
		sh_simhash_finish(&f->simhash, out->w);
		return 0;
	}
	if (SH_RESERVE(f->feature, f->feature_cap, features, err) < 0 ||
	    (f->composes ? compose(f, &t, range, err) : hash_texts(f, &t, range, features, err)) <
		0)
		return -1;
	if (!f->opts.scheme)
		return 0;
	if (add_up(f, features, err) < 0)
		return -1;
	/* The scheme freq rounds every weight of a very long document to 0. */
	out->empty = sh_simhash_total(&f->simhash) == 0;
	if (f->by_rounding && f->rounded.fraction)
		sh_rounded_finish(&f->rounded, f->opts.bits, out->w);
	else
		sh_simhash_finish(&f->simhash, out->w);
	return 0;
}

const uint64_t *sh_fingerprint_hashes(const struct sh_fingerprinter *f)
{
	return f->feature;
}

bool sh_empty_fingerprint(enum sh_empty rule, const struct sh_fingerprint_opts *opts, uint64_t *out)
{
	unsigned bits = opts->bits, words = SH_FP_WORDS(bits);

	switch (rule) {
	case SH_EMPTY_ZERO:
		memset(out, 0, words * sizeof *out);
		return true;
	case SH_EMPTY_ONES:
		memset(out, 0xFF, words * sizeof *out);
		break;
	case SH_EMPTY_TEXT:
		sh_hash_feature(opts->hash, sh_slice("", 0), opts->seed, bits, out);
		break;
	default:
		return false;
	}
	if (bits % 64)
		out[words - 1] &= ~(UINT64_MAX >> bits % 64);
	return true;
}
