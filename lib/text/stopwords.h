/* SPDX-License-Identifier: MIT */
/* A set of stop words, which a tokenizer drops.
 *
 * A list has one word on each line. Lines end with LF or CRLF. Empty lines, and spaces and TABs at
 * both ends of a line, are ignored. With a cppjieba method and no_fold, spaces and TABs are part of
 * the word, as in cppjieba. */
#ifndef SH_TEXT_STOPWORDS_H
#define SH_TEXT_STOPWORDS_H

#include "base/hmap.h"
#include "text/token.h"

/* Threads may share a set. */
struct sh_stoplist {
	struct sh_hmap words;
};

/* Returns a set of the words, folded as a tokenizer of these options folds tokens. The caller
 * deletes the set. Returns NULL with *err on failure. A line of several tokens has no effect. */
struct sh_stoplist *sh_stopwords_read(
    struct sh_slice lines, const struct sh_token_opts *opts, struct sh_error *err);
void sh_stoplist_delete(struct sh_stoplist *s);

/* Returns whether the token is a stop word. */
static inline bool sh_stoplist_has(const struct sh_stoplist *s, struct sh_slice token)
{
	uint32_t index;

	return sh_hmap_find(&s->words, token, &index);
}

/* Sets *n to the number of lines of several tokens, and *first to the first of these lines if *n >
 * 0. *n is 0 when the method needs a dictionary: there, words depend on the text around them. */
int sh_stopwords_unusable(struct sh_slice lines, const struct sh_token_opts *opts, uint64_t *n,
    struct sh_slice *first, struct sh_error *err);

#endif
