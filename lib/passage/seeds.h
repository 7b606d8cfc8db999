/* Seeds: hashes of k consecutive tokens (k-grams), sampled so that two texts with a common passage share one.
 *
 * A k-gram's hash is the default hash of the n-gram (hash/mix.h), so that it depends on the tokens alone.
 * The sample is the minimizers: of each `window` successive k-grams the rightmost one with the least hash
 * (winnowing: Schleimer, Wilkerson and Aiken 2003). Texts that share window + k - 1 tokens share a seed. A
 * document with fewer k-grams than the window gives the least of all; one with fewer tokens than k gives none.
 *
 * With k = 0 a k-gram is as many tokens as carry SH_SEED_UNITS: single characters of Chinese carry less than
 * words of an alphabet. So it has 6 words, or 10 characters, or a mixture. Which ones depends on these tokens
 * alone, never on the document. */
#ifndef SH_PASSAGE_SEEDS_H
#define SH_PASSAGE_SEEDS_H

#include "text/token.h"

enum {
	SH_SEED_K_MAX = 255,
	SH_SEED_WINDOW_MAX = 1 << 16,
	SH_SEED_UNITS = 30, /* of a k-gram where k = 0: 6 words */
	SH_SEED_QUERY_UNITS =
	    25, /* the same for queries, of which every k-gram is looked up: 5 words */
	SH_SEED_WINDOW = 10,
	/* What a token carries: a word; a character that is a token by itself, of 3 bytes and more; and under
	 * SH_UNIT_CHAR any other character. */
	SH_SEED_WORD = 5,
	SH_SEED_HAN = 3,
	SH_SEED_CHAR = 1,
};

struct sh_seed_opts {
	unsigned k;      /* tokens, 0: as many as carry `units` */
	unsigned units;  /* at most SH_SEED_UNITS; read only when k is 0 */
	unsigned window; /* k-grams, 1: every position */
};

/* The most tokens that a k-gram can have. */
unsigned sh_seed_longest(const struct sh_seed_opts *opts, enum sh_unit unit);
/* The fewest. */
unsigned sh_seed_shortest(const struct sh_seed_opts *opts);

/* Valid until the next call on the same seeder. */
struct sh_seeds {
	struct sh_tokens tokens;
	const uint64_t *token; /* the hash of each token */
	const uint64_t *gram;  /* of the k-gram that begins with token 0, 1, ... */
	size_t n_grams;
	const uint8_t *length; /* its tokens; NULL: all have k */
	unsigned k;
	const uint32_t *pick; /* the sample: first tokens, ascending */
	size_t n;
};

struct sh_seeder;

/* What opts borrow must outlive the seeder. */
struct sh_seeder *sh_seeder_new(
    const struct sh_token_opts *token, const struct sh_seed_opts *opts, struct sh_error *err);
void sh_seeder_delete(struct sh_seeder *s);

int sh_seeder_run(
    struct sh_seeder *s, struct sh_slice text, struct sh_seeds *out, struct sh_error *err);

/* The tokens of the k-gram that begins with token i. */
static inline unsigned sh_seed_length(const struct sh_seeds *s, size_t i)
{
	return s->length ? s->length[i] : s->k;
}

/* The minimizers of n hashes: first[j] is the j-th one's index, since[j] the first window whose minimum it
 * is; since may be NULL. Returns their number. Both have room for n. */
size_t sh_minimizers(
    const uint64_t *hash, size_t n, size_t window, uint32_t *first, uint32_t *since);

#endif
