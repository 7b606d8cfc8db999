/* SPDX-License-Identifier: MIT */
/* Finds the places of tokens in their texts, on request. Computes how much of two documents
 * their spans cover, and tells significant spans with a query from spans by chance: tables of
 * digits match many other tables. */
#ifndef SH_PASSAGE_PLACED_H
#define SH_PASSAGE_PLACED_H

#include "base/buf.h"
#include "passage/match.h"

/* A text and its tokens with their places: byte offsets in the text field. */
struct sh_placed {
	struct sh_tokens tokens;
	struct sh_slice id; /* of the document */
	struct sh_slice text;
};

/* Sets *start and *end to the first byte of the tokens from .. to-1 and to the byte behind them, as
 * offsets in the text. Tokens may overlap: any of them may begin first or end last. from < to. */
void sh_placed_bytes(
    const struct sh_placed *p, uint32_t from, uint32_t to, uint32_t *start, uint32_t *end);

/* One object serves one thread, and keeps the places in one text. */
struct sh_placer;

/* corpus: must outlive the placer; NULL: for sh_placer_text() only. token: as for
 * sh_tokenizer_new(), which gets `apart` and `places`. Returns NULL on failure. */
struct sh_placer *sh_placer_new(
    const struct sh_corpus *corpus, const struct sh_token_opts *token, struct sh_error *err);
void sh_placer_delete(struct sh_placer *p);

/* Finds the places in a document of the corpus, unless it is the same document as in the last call.
 * *out is valid until the next call of another function, or for another document. */
int sh_placer_document(
    struct sh_placer *p, uint32_t document, struct sh_placed *out, struct sh_error *err);

/* Finds the places in any text, without an id. *out is valid until the next call. */
int sh_placer_text(
    struct sh_placer *p, struct sh_slice text, struct sh_placed *out, struct sh_error *err);

/* Sorts n spans of one pair by matched tokens, and sets *first and *other to the matched tokens of
 * both documents: of the document with the tokens sh_span.from .., and of the other one. A token
 * in several spans counts once, by the span that matches most. `room` is scratch memory. */
int sh_coverage(struct sh_span *spans, size_t n, struct sh_buf *room, uint32_t *first,
    uint32_t *other, struct sh_error *err);

/* The coverage of a query that depends on its length, see sh_coverage_needs(). */
#define SH_COVERAGE_USUAL UINT64_MAX

/* Returns how many tokens of a query of n tokens must be matched for a coverage of at least this
 * number of millionths. SH_COVERAGE_USUAL: 0.6 for 20 tokens or more, 0.8 for 10 or more, and 1 for
 * fewer. Short questions match other documents by chance. */
uint64_t sh_coverage_needs(uint64_t coverage, size_t n);

enum {
	/* A span of n matched tokens needs ceil(min(n, this number) / 2) distinct tokens. Single
	 * characters and numbers below 100 are not counted, except characters of a script written
	 * without spaces. */
	SH_CHANCE_DISTINCT_OF = 20,
	/* A verbatim span of at least this number of tokens needs no distinct tokens. */
	SH_CHANCE_VERBATIM = 15,
};

/* Returns whether the span has enough distinct tokens, or is verbatim and either long enough or all
 * of the query. Otherwise it may be by chance. The span's side `at` is the query. */
bool sh_span_is_significant(const struct sh_span *span, const struct sh_placed *query);

#endif
