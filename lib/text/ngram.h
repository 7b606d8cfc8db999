/* n-grams (shingles): runs of n successive tokens of one document.
 *
 * A range takes every n from min to max. A document with fewer than min tokens, but not
 * without any, has one n-gram, all its tokens, so that short documents are not lost. */
#ifndef SH_TEXT_NGRAM_H
#define SH_TEXT_NGRAM_H

#include "text/token.h"

#define SH_NGRAM_MAX 255

struct sh_ngrams {
	unsigned min, max; /* 1 <= min <= max <= SH_NGRAM_MAX */
	/* The document's first 1, 2, ... min - 1 tokens are n-grams, too: one n-gram ends
	 * with each token, as a rolling window gives them (seomoz). */
	bool lead;
};

/* "N" or "N-M". */
int sh_ngrams_parse(const char *spec, struct sh_ngrams *range, struct sh_error *err);

/* The range that a document of `tokens` tokens really has; min 0: it has no n-gram. */
static inline struct sh_ngrams sh_ngrams_of(struct sh_ngrams range, size_t tokens)
{
	if (tokens < range.min)
		range.min = (unsigned)tokens;
	if (tokens < range.max)
		range.max = (unsigned)tokens;
	return range;
}

/* The first 1 .. sh_ngrams_lead() tokens are n-grams beside those of min to max tokens. */
static inline unsigned sh_ngrams_lead(struct sh_ngrams range)
{
	return range.lead && range.min ? range.min - 1 : 0;
}

/* How many they are together, of a range that fits so many tokens. SH_ERR_RANGE: 2^31 or more, which
 * is more than is counted in 32 bits. */
int sh_ngrams_count(struct sh_ngrams range, size_t tokens, size_t *count, struct sh_error *err);

/* The text of the n-gram that begins with token i. */
static inline struct sh_slice sh_ngram_text(const struct sh_tokens *t, size_t i, unsigned n)
{
	return sh_slice(t->text + t->start[i], t->end[i + n - 1] - t->start[i]);
}

#endif
