/* SPDX-License-Identifier: MIT */
/* Computes the positions of tokens in their texts, on request, and caches the most recent
 * documents. One object serves one thread. */
#ifndef SH_PASSAGE_PLACED_H
#define SH_PASSAGE_PLACED_H

#include "stream/corpus.h"
#include "text/token.h"

struct sh_placed {
	const uint32_t *from, *to; /* byte offsets of each token in the text field */
	size_t n;
	struct sh_slice id; /* of the document */
	struct sh_slice text;
};

/* Sets *start and *end to the first byte of the tokens from .. to-1 and to the byte behind them, as
 * offsets in the text. Tokens may overlap: any of them may begin first or end last. from < to. */
void sh_placed_bytes(
    const struct sh_placed *p, uint32_t from, uint32_t to, uint32_t *start, uint32_t *end);

struct sh_placer;

/* corpus: must outlive the placer. token: as for sh_tokenizer_new(), which
 * gets `apart` and `places`. Returns NULL on failure. */
struct sh_placer *sh_placer_new(
    const struct sh_corpus *corpus, const struct sh_token_opts *token, struct sh_error *err);
void sh_placer_delete(struct sh_placer *p);

/* Computes the positions in a document of the corpus. *out is valid until the next call of this
 * function. */
int sh_placer_document(
    struct sh_placer *p, uint32_t document, struct sh_placed *out, struct sh_error *err);

/* Computes the positions in any text, without an id. *out is valid until the next call of
 * sh_placer_document(), sh_placer_text() or sh_placer_distinct(). */
int sh_placer_text(
    struct sh_placer *p, struct sh_slice text, struct sh_placed *out, struct sh_error *err);

/* Sets *count to the number of distinct tokens of a text, at most `enough` and at most 32. Single
 * characters and numbers below 100 are not counted, except characters of a script written without
 * spaces. */
int sh_placer_distinct(
    struct sh_placer *p, struct sh_slice text, size_t enough, size_t *count, struct sh_error *err);

#endif
