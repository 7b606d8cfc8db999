/* Methods of splitting text into tokens, as rows of one table.
 *
 *   words       the default, see token.h
 *   jieba...    Chinese words by a dictionary (segment/jieba.h), which are then folded. Words without
 *               letters, marks and digits are dropped unless opts.punctuation; white space is always
 *               dropped. min_chars also drops single characters
 *   angelo      the jieba words whose first character is U+4E00..U+9FA5
 *   cppjieba... words as segment/cppjieba.h finds them, otherwise as jieba; only ASCII white space is
 *               always dropped
 *
 * The other methods are the rules of published systems. They ignore no_fold:
 *
 *   fields      maximal sequences without Unicode White_Space; ill-formed bytes are kept
 *   blanks      maximal sequences without blank, TAB, LF, CR and FF
 *   alpha       maximal sequences of ASCII letters, up to the first NUL
 *   python      characters that match Python's \w, after its str.lower(), without gaps
 *   go-words    [\w']+(://[\w./]+)? with ASCII \w, after Go's lower-casing
 *   go-letters  maximal sequences of \pL - _ ' after NFKC and Go's lower-casing
 *   bytes        each byte is a character
 *   code-points  characters of the length that the first byte gives; the text's end cuts the last
 *   long-words   maximal sequences of ASCII letters, ASCII digits and bytes beyond ASCII, of at
 *                least 4 bytes
 *   ...-ci       the same with bit 0x20 set in every byte, as ClickHouse ignores case
 *
 * The unit is that of the options, but python, bytes and code-points always give characters. */
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
	bool escapes;     /* tokens may contain characters that records escape */
	bool needs_jieba; /* needs sh_token_opts.jieba */
	bool needs_cppjieba;
	int mode; /* distinguishes methods that share a function */
	void (*close)(void *state);
	bool profile_only; /* chosen by a profile, not by --segment or --split */
	bool no_places;    /* cannot report the position of a token in the text */
};

/* Returns the method of this name, or NULL. */
const struct sh_token_method *sh_token_method_find(const char *name);

/* Returns method number i, the default first; NULL after the last one. */
const struct sh_token_method *sh_token_method_at(unsigned i);

#endif
