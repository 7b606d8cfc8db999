/* Ways of cutting text into tokens, as rows of one table.
 *
 *   words       the default, see token.h
 *   jieba...    Chinese words out of a dictionary (segment/jieba.h), folded afterwards;
 *               what has no letter, mark or digit is dropped unless opts.punctuation,
 *               white space always. min_chars drops single characters, too
 *   angelo      the jieba words whose first character is U+4E00..U+9FA5
 *   cppjieba... the same with words as segment/cppjieba.h cuts them, but of white space ASCII's
 *               alone is always dropped
 *
 * The others are the token rules of published systems. They read the text as it
 * stands, whatever no_fold says:
 *
 *   fields      runs of anything but Unicode White_Space; ill-formed bytes stay as they are
 *   blanks      runs of anything but blank, TAB, LF, CR and FF
 *   alpha       runs of ASCII letters, up to the first NUL
 *   python      the characters of Python's \w, after its str.lower(), as if nothing stood
 *               between them: characters, not words
 *   go-words    [\w']+(://[\w./]+)? with ASCII \w, after Go's lower-casing
 *   go-letters  runs of \pL - _ ' after NFKC and Go's lower-casing
 *
 * The unit is that of the options, except that python always gives characters. */
#ifndef SH_TEXT_METHOD_H
#define SH_TEXT_METHOD_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct sh_tokenizer;

struct sh_token_method {
	const char *name;
	int (*run)(
	    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err);
	bool chars;       /* gives characters */
	bool escapes;     /* tokens may hold characters that records escape */
	bool needs_jieba; /* sh_token_opts.jieba */
	bool needs_cppjieba;
	int mode; /* for methods that share a function */
	void (*close)(void *state);
	bool profile_only; /* chosen by a profile, not by --segment or --split */
	bool no_places;    /* cannot say where in the text a token stood */
};

/* NULL when there is none of that name. */
const struct sh_token_method *sh_token_method_find(const char *name);

/* The rows in order, the default first; NULL after the last. */
const struct sh_token_method *sh_token_method_at(unsigned i);

#endif
