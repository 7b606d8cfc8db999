/* SPDX-License-Identifier: MIT */
/* Splits text into tokens.
 *
 * By the default method, the text is normalised and case-folded first (NFKC_Casefold, see
 * unicode/fold.h), unless no_fold is set. A word is then a maximal sequence of letters, marks and
 * decimal digits (general categories L*, Mn, Mc, Nd). In scripts written without spaces between
 * words (unicode/script.h), each of these characters, and each letter number (Nl), is a token of
 * its own. All other characters separate words, also enclosing marks (Me), as in keycap emoji, and
 * escape sequences of terminals, such as colours. Ill-formed UTF-8 separates words and is counted.
 *
 * Unless raw is set, the text has the escapes of records: \t \n \r \\ represent TAB, LF, CR and a
 * backslash. Escapes separate words, and so does a backslash that begins no escape.
 *
 * One thread at a time may use a tokenizer. Tokenizers share no state. */
#ifndef SH_TEXT_TOKEN_H
#define SH_TEXT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "unicode/script.h"

enum sh_unit { SH_UNIT_WORD, SH_UNIT_CHAR };

/* The largest text, in bytes; token offsets are 32 bits wide. */
#define SH_TOKEN_TEXT_MAX ((size_t)INT32_MAX)

/* Bits of sh_token_opts.keep: kinds of code points. DIGIT is the digits of all scripts. ALPHA is
 * the letters of all scripts without a bit of their own. */
enum sh_keep {
	SH_KEEP_ALPHA = 1 << SH_SCRIPT_OTHER,
	SH_KEEP_DIGIT = 1 << SH_SCRIPT_INHERITED, /* a mark of several scripts is of no kind */
	SH_KEEP_HANGUL = 1 << SH_SCRIPT_HANGUL,
	SH_KEEP_HAN = 1 << SH_SCRIPT_HAN,
	SH_KEEP_KANA = 1 << SH_SCRIPT_KANA,
	SH_KEEP_THAI = 1 << SH_SCRIPT_THAI,
	SH_KEEP_LAO = 1 << SH_SCRIPT_LAO,
	SH_KEEP_KHMER = 1 << SH_SCRIPT_KHMER,
	SH_KEEP_MYANMAR = 1 << SH_SCRIPT_MYANMAR,
	SH_KEEP_TIBETAN = 1 << SH_SCRIPT_TIBETAN,
};

enum { SH_KEEP_TEXT = 64 }; /* bytes of a list of all kinds, with its NUL, or more */

/* Parses a list such as "han,alpha". SH_ERR_PARAM names an unknown kind. */
int sh_keep_parse(struct sh_slice list, unsigned *keep, struct sh_error *err);

/* Prints the kinds of `keep` as such a list, in a fixed order, with a NUL. Returns its
 * length: 0 when keep is 0. */
size_t sh_keep_print(unsigned keep, char text[SH_KEEP_TEXT]);

struct sh_stoplist;

struct sh_jieba;
struct sh_cppjieba;
struct sh_token_method;

/* Filters apply to whole folded words in this order: keep, min_chars, stop, mask_digits, stem.
 * SH_UNIT_CHAR then splits words into characters. A zeroed struct has the defaults. */
struct sh_token_opts {
	enum sh_unit unit;
	bool no_fold;       /* no NFKC, no case folding */
	bool raw;           /* the text has no escapes */
	bool fold_marks;    /* leave out vowel signs and tatweel, see sh_is_pointing() */
	bool join_hyphens;  /* join words that a hyphen cuts at a line end, see text/hyphens.c */
	bool mask_digits;   /* each maximal sequence of decimal digits in a token becomes one 0 */
	unsigned min_chars; /* drop words of fewer code points, but no character of Han etc. */
	unsigned keep;      /* SH_KEEP_*: drop words without a code point of these kinds; 0: none */
	const struct sh_stoplist *stop; /* words to drop; NULL: none; borrowed, may be shared */
	const char *stem;               /* algorithm of text/stem.h; NULL: none; borrowed */
	bool apart;  /* n-gram texts are not needed: bytes between two words may be anything */
	bool places; /* fill sh_tokens.from and to; slower */
	const struct sh_token_method *method; /* see text/method.h; NULL: the default */
	const struct sh_jieba *jieba; /* for methods that need it; borrowed, may be shared */
	const struct sh_cppjieba *cppjieba;
	size_t memory; /* see sh_token_check(); 0: texts of any size */
	/* For methods with a dictionary: */
	bool punctuation;   /* keep words without letters, marks and digits */
	bool stop_any_case; /* also drop words whose ASCII lower case is a stop word */
};

/* Valid until the next call on the same tokenizer.
 *
 * SH_UNIT_WORD: text is the tokens, with single spaces between the tokens. SH_UNIT_CHAR: each code
 * point of a word is a token. One token '_', a gap, represents the separators and dropped words
 * between two words. No gap is at either end of the text or between two characters that are tokens
 * because of their script. Words of the default method have no '_'.
 *
 * The n-gram of tokens i .. i+n-1 is the bytes start[i] .. end[i+n-1] - 1 of text. With opts.apart,
 * which is faster, the bytes between two words may be anything. */
struct sh_tokens {
	const char *text;            /* SH_PAD bytes after its end may be read */
	const uint32_t *start, *end; /* byte offsets in text */
	size_t n;
	uint64_t bad_utf8; /* ill-formed sequences in the text */
	/* With opts.places, otherwise NULL: token i came from the bytes from[i] .. to[i] - 1 of the
	 * given text, with its escapes. The bytes are whole characters and escapes. Several tokens
	 * that one character gave have the same bytes. A gap has no bytes: from[i] and to[i] are
	 * the end of the word before it. */
	const uint32_t *from, *to;
};

struct sh_ascii_kernel;

/* Returns opts->unit, or SH_UNIT_CHAR when the method gives characters. */
enum sh_unit sh_token_unit(const struct sh_token_opts *opts);

/* Copies *opts. The objects that *opts borrows must outlive the tokenizer. */
struct sh_tokenizer *sh_tokenizer_new(const struct sh_token_opts *opts, struct sh_error *err);
void sh_tokenizer_delete(struct sh_tokenizer *t);

/* For tests: uses this variant of ascii.h instead of the fastest. NULL: uses none. */
void sh_tokenizer_force(struct sh_tokenizer *t, const struct sh_ascii_kernel *kernel);

/* Returns -1 and SH_ERR_RANGE when the tokens and features of the text need more than `memory`
 * bytes: 20 for each byte of words, 80 for each character of SH_UNIT_CHAR. Texts that need at most
 * 256 MB are always allowed. memory = 0: all texts are allowed. */
int sh_token_check(enum sh_unit unit, struct sh_slice text, size_t memory, struct sh_error *err);

/* Splits a text. SH_ERR_PARAM: the text has more than SH_TOKEN_TEXT_MAX bytes, or the method does
 * not support opts.places. SH_ERR_RANGE: see sh_token_check(), for opts.memory. */
int sh_tokenize(
    struct sh_tokenizer *t, struct sh_slice text, struct sh_tokens *out, struct sh_error *err);

#endif
