/* SPDX-License-Identifier: MIT */
#include "passage/placed.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/compare.h"

struct sh_placer {
	const struct sh_corpus *corpus;
	struct sh_tokenizer *tokenizer;
	struct sh_document_room room;
	uint32_t document; /* whose positions the tokenizer holds; SH_CORPUS_NONE: none */
	struct sh_placed placed;
};

void sh_placed_bytes(
    const struct sh_placed *p, uint32_t from, uint32_t to, uint32_t *start, uint32_t *end)
{
	const struct sh_tokens *t = &p->tokens;

	*start = t->from[from];
	*end = t->to[from];
	/* Words of a dictionary may overlap; the short ones come first. */
	for (uint32_t i = from + 1; i < to; i++) {
		*start = t->from[i] < *start ? t->from[i] : *start;
		*end = t->to[i] > *end ? t->to[i] : *end;
	}
}

struct sh_placer *sh_placer_new(
    const struct sh_corpus *corpus, const struct sh_token_opts *token, struct sh_error *err)
{
	struct sh_placer *p = calloc(1, sizeof *p);
	struct sh_token_opts opts = *token;

	if (!p) {
		sh_error_nomem(err);
		return NULL;
	}
	opts.apart = opts.places = true;
	p->corpus = corpus;
	p->document = SH_CORPUS_NONE;
	p->tokenizer = sh_tokenizer_new(&opts, err);
	if (!p->tokenizer) {
		sh_placer_delete(p);
		return NULL;
	}
	return p;
}

void sh_placer_delete(struct sh_placer *p)
{
	if (!p)
		return;
	sh_tokenizer_delete(p->tokenizer);
	sh_document_room_free(&p->room);
	free(p);
}

int sh_placer_text(
    struct sh_placer *p, struct sh_slice text, struct sh_placed *out, struct sh_error *err)
{
	p->document = SH_CORPUS_NONE;
	*out = (struct sh_placed){ .text = text };
	return sh_tokenize(p->tokenizer, text, &out->tokens, err);
}

int sh_placer_document(
    struct sh_placer *p, uint32_t document, struct sh_placed *out, struct sh_error *err)
{
	struct sh_document doc;

	if (p->document != document) {
		if (sh_corpus_document(p->corpus, document, &p->room, &doc, err) < 0 ||
		    sh_placer_text(p, doc.text, &p->placed, err) < 0)
			return -1;
		p->placed.id = doc.id;
		p->document = document;
	}
	*out = p->placed;
	return 0;
}

/* ---- coverage ---- */

/* Returns the matched part of `fresh` tokens of a span whose side has n tokens. */
static uint32_t share(const struct sh_span *s, uint32_t fresh, uint32_t n)
{
	return (uint32_t)((uint64_t)s->matched * fresh / n);
}

int sh_coverage(struct sh_span *spans, size_t n, struct sh_buf *room, uint32_t *first,
    uint32_t *other, struct sh_error *err)
{
	uint32_t tokens = 0, others = 0;
	uint64_t *set;
	size_t words;

	for (size_t i = 0; i < n; i++) {
		tokens = spans[i].to > tokens ? spans[i].to : tokens;
		others = spans[i].end > others ? spans[i].end : others;
	}
	words = sh_bits_words(tokens) + sh_bits_words(others);
	room->n = 0;
	if (sh_buf_reserve(room, words * sizeof *set, err) < 0)
		return -1;
	set = (uint64_t *)(void *)room->p;
	memset(set, 0, words * sizeof *set);
	*first = *other = 0;
	qsort(spans, n, sizeof *spans, sh_span_by_matched);
	for (size_t i = 0; i < n; i++) {
		const struct sh_span *s = &spans[i];

		*first += share(s, sh_bits_put_range(set, s->from, s->to), s->to - s->from);
		*other += share(s, sh_bits_put_range(set + sh_bits_words(tokens), s->at, s->end),
		    s->end - s->at);
	}
	return 0;
}

uint64_t sh_coverage_needs(uint64_t coverage, size_t n)
{
	if (coverage == SH_COVERAGE_USUAL)
		coverage = n >= 20 ? 600000 : n >= 10 ? 800000 : 1000000;
	return (coverage * n + 999999) / 1000000;
}

/* ---- chance ---- */

static bool says_little(struct sh_slice token)
{
	uint8_t c = (uint8_t)token.p[0];

	if (token.n <= 2 && c >= '0' && c <= '9' &&
	    (token.n == 1 || (token.p[1] >= '0' && token.p[1] <= '9')))
		return true;
	return token.n == 1 || (token.n == 2 && c >= 0xC0);
}

bool sh_span_is_significant(const struct sh_span *span, const struct sh_placed *query)
{
	const struct sh_tokens *t = &query->tokens;
	uint32_t of = span->matched < SH_CHANCE_DISTINCT_OF ? span->matched : SH_CHANCE_DISTINCT_OF;
	struct sh_slice seen[(SH_CHANCE_DISTINCT_OF + 1) / 2];
	size_t wanted = (of + 1) / 2, n = 0;

	if (span->matched == span->to - span->from && span->matched == span->end - span->at &&
	    (span->matched >= SH_CHANCE_VERBATIM || span->matched == t->n))
		return true;
	for (uint32_t i = span->at; i < span->end && n < wanted; i++) {
		struct sh_slice token = sh_slice(t->text + t->start[i], t->end[i] - t->start[i]);
		size_t j = 0;

		if (says_little(token))
			continue;
		while (j < n && !sh_slice_eq(seen[j], token))
			j++;
		if (j == n)
			seen[n++] = token;
	}
	return n >= wanted;
}
