/* SPDX-License-Identifier: MIT */
/* Reads a list of stop words, one on each line. Lines end with LF or CRLF. Empty lines, and spaces
 * and TABs at both ends of a line, are ignored. With a cppjieba method and no_fold, spaces and TABs
 * are part of the word, as in cppjieba. */
#ifndef SH_TEXT_STOPWORDS_H
#define SH_TEXT_STOPWORDS_H

#include "text/token.h"

/* Returns a set of the words, folded as a tokenizer of these options folds tokens. The caller
 * deletes the set. Returns NULL with *err on failure. A line of several tokens has no effect. */
struct sh_stoplist *sh_stopwords_read(
    struct sh_slice lines, const struct sh_token_opts *opts, struct sh_error *err);

/* Sets *n to the number of lines of several tokens, and *first to the first of these lines if *n >
 * 0. *n is 0 when the method needs a dictionary: there, words depend on the text around them. */
int sh_stopwords_unusable(struct sh_slice lines, const struct sh_token_opts *opts, uint64_t *n,
    struct sh_slice *first, struct sh_error *err);

#endif
