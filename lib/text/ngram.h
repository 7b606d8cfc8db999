/* n-grams (shingles): n consecutive tokens of one document.
 *
 * A range stands for each n from min to max. A document with fewer than min tokens, but at least one,
 * has one n-gram: all its tokens. */
#ifndef SH_TEXT_NGRAM_H
#define SH_TEXT_NGRAM_H

#include "text/token.h"

#define SH_NGRAM_MAX 255

struct sh_ngrams {
	unsigned min, max; /* 1 <= min <= max <= SH_NGRAM_MAX */
	/* The first 1, 2, ... min - 1 tokens of the document are n-grams, too, as in a window that moves
	 * into the document (seomoz). */
	bool lead;
	/* N-grams begin with the second token: the first n-gram of a document is not one. Documents
	 * with fewer than min tokens keep their only n-gram (ClickHouse). */
	bool past_first;
};

/* Parses "N" or "N-M". */
int sh_ngrams_parse(const char *spec, struct sh_ngrams *range, struct sh_error *err);

/* Returns the range limited to a document of `tokens` tokens. min is 0 when there is no n-gram. */
static inline struct sh_ngrams sh_ngrams_of(struct sh_ngrams range, size_t tokens)
{
	if (tokens < range.min)
		range.min = (unsigned)tokens;
	if (tokens < range.max)
		range.max = (unsigned)tokens;
	return range;
}

/* Returns the range limited to the document, as sh_ngrams_of(). Drops the document's first token when
 * n-grams begin with the second one. max is 0 when a document with tokens then has no n-gram. */
struct sh_ngrams sh_ngrams_in(struct sh_ngrams range, struct sh_tokens *tokens);

/* Returns the number of leading n-grams: the first 1, 2, ... tokens. */
static inline unsigned sh_ngrams_lead(struct sh_ngrams range)
{
	return range.lead && range.min ? range.min - 1 : 0;
}

/* Sets *count to the number of n-grams. The range must come from sh_ngrams_of(range, tokens).
 * SH_ERR_RANGE when there are 2^31 or more. */
int sh_ngrams_count(struct sh_ngrams range, size_t tokens, size_t *count, struct sh_error *err);

/* Returns the text of the n-gram of n tokens that begins with token i. */
static inline struct sh_slice sh_ngram_text(const struct sh_tokens *t, size_t i, unsigned n)
{
	return sh_slice(t->text + t->start[i], t->end[i + n - 1] - t->start[i]);
}

#endif
