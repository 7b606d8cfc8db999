/* Text to tokens.
 *
 * Unless no_fold is set the text is normalised and case-folded (NFKC_Casefold as
 * utf8proc_map gives it, see unicode/fold.h). A word is then a maximal run of letters,
 * marks and decimal digits (general categories L*, M*, Nd). Those of scripts written
 * without spaces between words (unicode/script.h) are each a token of their own, and so are
 * the letter numbers (Nl) of these scripts: the ideographic zero. Everything else
 * separates. Ill-formed UTF-8 separates and is counted.
 *
 * Unless raw is set the text carries the escapes of the records: \t \n \r \\ stand
 * for those four characters, all of which separate; so does any other backslash.
 *
 * One tokenizer serves one thread; tokenizers share nothing. */
#ifndef SH_TEXT_TOKEN_H
#define SH_TEXT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

enum sh_unit { SH_UNIT_WORD, SH_UNIT_CHAR };

/* The largest text, in bytes; token offsets are 32 bits wide. */
#define SH_TOKEN_TEXT_MAX ((size_t)INT32_MAX)

/* Bits of sh_token_opts.keep: what a code point of a word may be. Digits are one
 * kind whatever their script; alpha is every script that has no bit of its own. */
enum sh_keep {
	SH_KEEP_ALPHA = 1 << 0,
	SH_KEEP_DIGIT = 1 << 1,
	SH_KEEP_HAN = 1 << 2,
	SH_KEEP_KANA = 1 << 3,
	SH_KEEP_HANGUL = 1 << 4,
	SH_KEEP_THAI = 1 << 5,
	SH_KEEP_LAO = 1 << 6,
	SH_KEEP_KHMER = 1 << 7,
	SH_KEEP_MYANMAR = 1 << 8,
	SH_KEEP_TIBETAN = 1 << 9,
};

struct sh_keep_name {
	const char *name;
	unsigned bit;
};

extern const struct sh_keep_name sh_keep_names[]; /* ends with a NULL name */

/* "han,alpha" to bits. SH_ERR_PARAM names the word that is unknown. */
int sh_keep_parse(struct sh_slice list, unsigned *keep, struct sh_error *err);

struct sh_stoplist;

struct sh_jieba;
struct sh_cppjieba;
struct sh_token_method;

/* The filters look at whole folded words, in this order: keep, min_chars, stop,
 * mask_digits, stem; characters are taken from what is left. */
struct sh_token_opts {
	enum sh_unit unit;
	bool no_fold;       /* leave text as written: no NFKC, no case folding */
	bool raw;           /* the text holds no escapes */
	bool mask_digits;   /* each maximal run of decimal digits in a token becomes one 0 */
	unsigned min_chars; /* words of fewer code points are dropped; cut characters never */
	unsigned keep;      /* SH_KEEP_*: words without any such code point are dropped; 0: none */
	const struct sh_stoplist *stop; /* words to drop, or NULL; borrowed, may be shared */
	const char *stem; /* language or algorithm of text/stem.h, or NULL; borrowed */
	bool apart;       /* words: their n-grams' texts are not wanted, only the words */
	bool places;      /* fill sh_tokens.from and to; slower. Not for methods with no_places */
	/* Another way of cutting than the one above (text/method.h), or NULL. */
	const struct sh_token_method *method;
	const struct sh_jieba *jieba; /* for methods that need a dictionary; borrowed, shared */
	const struct sh_cppjieba *cppjieba;
	bool punctuation;   /* such methods: hand over what is no word, too */
	bool stop_any_case; /* such methods: stop words match in any ASCII case */
};

/* Valid until the next call on the same tokenizer.
 *
 * SH_UNIT_WORD: the tokens, joined by single spaces. SH_UNIT_CHAR: each code point
 * of each word is a token, and so is one '_' (never part of a word) for each gap
 * between words: one or more separators or dropped words. There is no '_' at
 * either end, nor between neighbours cut apart by script alone.
 * Either way the n-gram of tokens i .. i+n-1 is the bytes start[i] .. end[i+n-1].
 * Only with opts.apart, which is faster, anything may stand between two words. */
struct sh_tokens {
	const char *text;            /* at least 64 more bytes after the end may be read */
	const uint32_t *start, *end; /* byte offsets in text */
	size_t n;
	uint64_t bad_utf8; /* ill-formed sequences met in this text */
	/* With opts.places: token i was made of the bytes from[i] .. to[i] - 1 of the text that was given, with
	 * its escapes. Both are borders of characters and of escapes. Tokens made of one character share its
	 * bytes. A gap's '_' has no bytes: it stands behind the word before it. NULL without opts.places. */
	const uint32_t *from, *to;
};

struct sh_ascii_kernel;

/* What tokens are: the options' unit, unless the method gives characters. */
enum sh_unit sh_token_unit(const struct sh_token_opts *opts);

/* The options are copied, what they borrow must outlive the tokenizer. */
struct sh_tokenizer *sh_tokenizer_new(const struct sh_token_opts *opts, struct sh_error *err);
void sh_tokenizer_delete(struct sh_tokenizer *t);

/* Use this row of ascii.h, or none, instead of this machine's fastest: for tests. */
void sh_tokenizer_force(struct sh_tokenizer *t, const struct sh_ascii_kernel *kernel);

/* SH_ERR_PARAM: the text is longer than SH_TOKEN_TEXT_MAX. */
int sh_tokenize(
    struct sh_tokenizer *t, struct sh_slice text, struct sh_tokens *out, struct sh_error *err);

#endif
