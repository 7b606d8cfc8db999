/* SPDX-License-Identifier: MIT */
/* Seeds: hashes of k consecutive tokens (k-grams), sampled so that two texts with a common passage
 * share one.
 *
 * A k-gram's hash is the default hash of the n-gram (hash/mix.h), so it depends only on the tokens.
 * The sample is the minimizers: of each `window` successive k-grams, the rightmost one with the
 * least hash (winnowing: Schleimer, Wilkerson and Aiken 2003). Texts that share window + k - 1
 * tokens share a seed. A document with fewer k-grams than the window has one seed, its least
 * k-gram; one with fewer than k tokens has none.
 *
 * With k = 0 the length of a k-gram varies: it has the fewest tokens whose units reach a total. A
 * character of Chinese has fewer units than a word of an alphabet. So a k-gram has 6 words, or 10
 * characters, or a mixture. The length depends only on the tokens of the k-gram. */
#ifndef SH_PASSAGE_SEEDS_H
#define SH_PASSAGE_SEEDS_H

#include "text/token.h"

enum {
	SH_SEED_K_MAX = 255,
	SH_SEED_WINDOW_MAX = 1 << 16,
	SH_SEED_UNITS = 30, /* units of a k-gram when k = 0: 6 words */
	/* the same in queries, whose k-grams are all looked up: 5 words */
	SH_SEED_QUERY_UNITS = 25,
	SH_SEED_WINDOW = 10, /* k-grams: the default window */
	/* Units of a token: of a word; of a character of at least 3 bytes that is a token; and
	 * under SH_UNIT_CHAR, of any other character. */
	SH_SEED_WORD = 5,
	SH_SEED_HAN = 3,
	SH_SEED_CHAR = 1,
};

struct sh_seed_opts {
	unsigned k;      /* tokens of a k-gram; 0: the fewest with `units` units */
	unsigned units;  /* at most SH_SEED_UNITS; read only when k is 0 */
	unsigned window; /* k-grams; 1: all of them are seeds */
};

/* Returns the most tokens of a k-gram. unit: of the tokens, see sh_token_unit(). */
unsigned sh_seed_longest(const struct sh_seed_opts *opts, enum sh_unit unit);
/* Returns the fewest tokens of a k-gram. */
unsigned sh_seed_shortest(const struct sh_seed_opts *opts);

struct sh_seeds {
	struct sh_tokens tokens;
	const uint32_t *token; /* hash of each token */
	const uint64_t *gram;  /* by token: hash of the k-gram that begins with it */
	const uint8_t *length; /* by token: tokens of that k-gram */
	size_t n_grams;        /* of gram and length: the last tokens begin no k-gram */
	const uint32_t *pick;  /* the sample: index of the first token of each, ascending */
	size_t n;              /* of the sample */
};

struct sh_seeder;

/* Copies both options. Objects that `token` borrows must outlive the seeder. The caller checks
 * *opts: k is at most SH_SEED_K_MAX. */
struct sh_seeder *sh_seeder_new(
    const struct sh_token_opts *token, const struct sh_seed_opts *opts, struct sh_error *err);
void sh_seeder_delete(struct sh_seeder *s);

/* Computes the seeds of a text. The seeder owns the arrays of *out; they are valid until the next
 * call. Fails as sh_tokenize() does, or when memory is short. */
int sh_seeder_run(
    struct sh_seeder *s, struct sh_slice text, struct sh_seeds *out, struct sh_error *err);

/* Finds the minimizers of n hashes: first[j] is the index of minimizer j. Returns their number.
 * window >= 1. `first` has room for n; n is below 2^32. */
size_t sh_minimizers(const uint64_t *hash, size_t n, size_t window, uint32_t *first);

#endif
