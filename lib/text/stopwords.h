/* Reads a list of stop words, one a line. Lines end with LF or CRLF; blanks at both ends of a line are
 * ignored, and so are empty lines. For words of cppjieba that are not folded, blanks are part of the
 * word, as they are in cppjieba. */
#ifndef SH_TEXT_STOPWORDS_H
#define SH_TEXT_STOPWORDS_H

#include "text/token.h"

/* Returns the set of the words, each folded as the tokenizer of these options folds tokens; NULL with
 * *err on failure. A line that is more than one token stops nothing. */
struct sh_stoplist *sh_stopwords_read(
    struct sh_slice lines, const struct sh_token_opts *opts, struct sh_error *err);

/* Counts the lines that are more than one token, and sets *first to the first of them. Counts none when
 * the method needs a dictionary: its words depend on the text around them. */
int sh_stopwords_unusable(struct sh_slice lines, const struct sh_token_opts *opts, uint64_t *n,
    struct sh_slice *first, struct sh_error *err);

#endif
