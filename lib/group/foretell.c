#include "group/foretell.h"

#include <string.h>

#include "base/bits.h"
#include "hash/mix.h"
#include "weight/weight.h"

/* Slots for each token, at least, so that few n-grams share one; but at most WORDS_MAX words. */
enum { SLOTS_EACH = 16, WORDS_MAX = 1 << 16 };

/* ---- slots ---- */

size_t sh_gram_slots_words(size_t tokens)
{
	size_t words = 1;

	while (words < WORDS_MAX && words * 64 < tokens * SLOTS_EACH)
		words *= 2;
	return words;
}

/* Returns the hash of n tokens. Its lower bits choose a slot. */
static uint64_t gram_of(const uint64_t *token, unsigned n)
{
	uint64_t x = token[0] * SH_MIX_GOLDEN;

	for (unsigned i = 1; i < n; i++)
		x = (x + token[i]) * SH_MIX_GOLDEN;
	return x >> 32;
}

void sh_gram_slots_fill(
    struct sh_gram_slots *s, struct sh_sequence text, struct sh_ngrams ngrams, size_t enough)
{
	unsigned n = sh_ngrams_of(ngrams, text.n).max;
	size_t last;

	s->words = sh_gram_slots_words(text.n);
	last = s->words * 64 - 1;
	memset(s->taken, 0, s->words * sizeof *s->taken);
	s->distinct = 0;
	for (size_t i = 0; i + n <= text.n && s->distinct < enough; i++) {
		size_t slot = gram_of(text.token + i, n) & last;

		s->distinct += !sh_bits_has(s->taken, slot);
		sh_bits_put(s->taken, slot);
	}
	s->size = n;
}

/* Returns word i of the slots that a set of only `words` words would have. */
static uint64_t fold(const struct sh_gram_slots *s, size_t i, size_t words)
{
	uint64_t x = 0;

	for (; i < s->words; i += words)
		x |= s->taken[i];
	return x;
}

bool sh_gram_slots_apart(
    const struct sh_gram_slots *x, const struct sh_gram_slots *y, struct sh_slots_apart *apart)
{
	size_t words = x->words < y->words ? x->words : y->words;

	*apart = (struct sh_slots_apart){ 0 };
	for (size_t i = 0; i < words; i++) {
		uint64_t a = fold(x, i, words), b = fold(y, i, words);

		apart->x += sh_count_bits(a & ~b);
		apart->y += sh_count_bits(b & ~a);
	}
	return x->size == y->size;
}

/* ---- proofs ---- */

size_t sh_foretell_edits(size_t n, size_t touched, uint64_t threshold)
{
	if (threshold >= SH_WEIGHT_ONE)
		return 0;
	return (size_t)((SH_WEIGHT_ONE - threshold) * n / ((SH_WEIGHT_ONE + threshold) * touched));
}

size_t sh_foretell_features(size_t changed, uint64_t threshold)
{
	uint64_t rest = SH_WEIGHT_ONE - threshold;

	return rest ? (size_t)((changed * (SH_WEIGHT_ONE + threshold) + rest - 1) / rest)
		    : SIZE_MAX;
}

bool sh_foretell_dissimilar(struct sh_slots_apart apart, size_t n, size_t m, uint64_t threshold)
{
	size_t x = n - apart.x, y = m - apart.y, common = x < y ? x : y;

	return common * (uint64_t)SH_WEIGHT_ONE < threshold * (common + apart.x + apart.y);
}
