/* SPDX-License-Identifier: MIT */
/* n-grams (shingles): n consecutive tokens of one document.
 *
 * A range gives the n-grams for each n from min to max. A document of fewer than min tokens, but at
 * least one, has one n-gram: all its tokens. */
#ifndef SH_TEXT_NGRAM_H
#define SH_TEXT_NGRAM_H

#include "text/token.h"

#define SH_NGRAM_MAX 255

struct sh_ngrams {
	unsigned min, max; /* 1 <= min <= max <= SH_NGRAM_MAX */
	bool lead;         /* the first 1, 2, ... min - 1 tokens are n-grams, too (seomoz) */
	/* No n-gram begins with the first token, except in documents of fewer than
	 * min tokens (ClickHouse). */
	bool past_first;
};

/* Parses "N" or "N-M", 1 <= N <= M <= SH_NGRAM_MAX. Sets only min and max.
 * SH_ERR_PARAM: another form. */
int sh_ngrams_parse(const char *spec, struct sh_ngrams *range, struct sh_error *err);

/* Returns the range with min and max at most `tokens`, a document's number of tokens. */
static inline struct sh_ngrams sh_ngrams_of(struct sh_ngrams range, size_t tokens)
{
	if (tokens < range.min)
		range.min = (unsigned)tokens;
	if (tokens < range.max)
		range.max = (unsigned)tokens;
	return range;
}

/* The same, and range.past_first also drops the first token from *tokens. Returns min 0 for a
 * document without tokens. Returns min 1 and max 0 when the document has tokens but no n-gram. */
struct sh_ngrams sh_ngrams_in(struct sh_ngrams range, struct sh_tokens *tokens);

/* Returns the number of n-grams that `lead` adds: of the first 1, 2, ... tokens. */
static inline unsigned sh_ngrams_lead(struct sh_ngrams range)
{
	return range.lead && range.min ? range.min - 1 : 0;
}

/* Sets *count to the number of n-grams, with the n-grams of `lead`. The range must come from
 * sh_ngrams_of() or sh_ngrams_in(). SH_ERR_RANGE: 2^31 n-grams or more. */
int sh_ngrams_count(struct sh_ngrams range, size_t tokens, size_t *count, struct sh_error *err);

/* Returns the text of the n-gram of n tokens that begins with token i. */
static inline struct sh_slice sh_ngram_text(const struct sh_tokens *t, size_t i, unsigned n)
{
	return sh_slice(t->text + t->start[i], t->end[i + n - 1] - t->start[i]);
}

#endif
