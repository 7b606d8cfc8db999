/* Where the tokens of documents stand in their texts: computed when it is asked for, and kept for the documents
 * that were asked for last. One serves one thread. */
#ifndef SH_PASSAGE_PLACED_H
#define SH_PASSAGE_PLACED_H

#include "stream/corpus.h"
#include "text/token.h"

struct sh_placed {
	const uint32_t *from, *to; /* bytes of each token in the text field */
	size_t n;
	struct sh_slice id; /* of the document */
	struct sh_slice text;
};

/* The first byte of the first of tokens from .. to-1, and the byte behind the last: from < to. */
void sh_placed_bytes(
    const struct sh_placed *p, uint32_t from, uint32_t to, uint32_t *start, uint32_t *end);

struct sh_placer;

struct sh_placer *sh_placer_new(
    const struct sh_corpus *corpus, const struct sh_token_opts *token, struct sh_error *err);
void sh_placer_delete(struct sh_placer *p);

/* A document of the corpus; the result is valid until the next call. */
int sh_placer_document(
    struct sh_placer *p, uint32_t document, struct sh_placed *out, struct sh_error *err);

/* Any text, without an id; the result is valid until the next call of this function. */
int sh_placer_text(
    struct sh_placer *p, struct sh_slice text, struct sh_placed *out, struct sh_error *err);

/* How many different tokens a stretch of a text has, counted up to `enough`. Single characters and numbers
 * below 100 do not count, but characters of a script written without spaces do. */
int sh_placer_distinct(struct sh_placer *p, struct sh_slice stretch, size_t enough, size_t *count,
    struct sh_error *err);

#endif
