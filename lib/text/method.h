/* SPDX-License-Identifier: MIT */
/* Methods of splitting text into tokens, as rows of one table (published/published.h).
 *
 *   words       the default, see token.h
 *   jieba...    words of segment/jieba.h, then folded. A word needs a letter, mark or digit, unless
 *               opts.punctuation is set. White space is dropped. min_chars drops single characters
 *               of all scripts
 *   angelo      the words of jieba whose first character is U+4E00..U+9FA5
 *   cppjieba... words of published/cppjieba.h, otherwise as jieba. Only words with ASCII white
 *   space are dropped
 *
 * The other methods are the rules of published systems. They ignore no_fold:
 *
 *   fields      maximal sequences without Unicode White_Space; ill-formed bytes are kept
 *   blanks      maximal sequences without blank, TAB, LF, CR and FF
 *   alpha       maximal sequences of ASCII letters, up to the first NUL
 *   python      characters that match Python's \w, after its str.lower(); never a '_' for a gap
 *   go-words    [\w']+(://[\w./]+)? with ASCII \w, after Go's lower-casing
 *   go-letters  maximal sequences of \pL - _ ' after NFKC and Go's lower-casing
 *   bytes        each byte is a character
 *   code-points  the first byte gives the length of a character; the last may be incomplete
 *   long-words   maximal sequences of ASCII letters, ASCII digits and bytes beyond ASCII, of at
 *                least 4 bytes
 *   bytes-ci, code-points-ci, long-words-ci
 *                as without -ci, with bit 0x20 set in every byte: so ClickHouse ignores case
 *
 * opts.unit is the unit, except that python, bytes..., code-points... always give characters. */
#ifndef SH_TEXT_METHOD_H
#define SH_TEXT_METHOD_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct sh_tokenizer;

struct sh_token_method {
	const char *name;
	/* Appends the tokens of the text p .. end - 1 to t (text/tokenizer.h). */
	int (*run)(
	    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err);
	bool chars;       /* gives characters */
	bool escapes;     /* tokens may contain TAB, LF, CR or a backslash, which records escape */
	bool needs_jieba; /* needs sh_token_opts.jieba */
	bool needs_cppjieba;
	int mode;                   /* distinguishes methods that share a function */
	void (*close)(void *state); /* frees t->state, which is not NULL */
	bool profile_only;          /* chosen by a profile, not by --segment or --split */
	bool no_places;             /* does not support opts.places */
};

/* The default method. */
extern const struct sh_token_method sh_words_method;

#endif
