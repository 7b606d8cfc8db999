/* Splits text into tokens.
 *
 * Unless no_fold is set, the text is normalised and case-folded first (NFKC_Casefold as utf8proc_map()
 * gives it, see unicode/fold.h). A word is then a maximal sequence of letters, marks and decimal digits
 * (general categories L*, M*, Nd). In scripts written without spaces between words (unicode/script.h), each
 * of these characters is a token of its own. So is each letter number (Nl) of these scripts, such as the
 * ideographic zero. All other characters separate words. Ill-formed UTF-8 separates words and is counted.
 *
 * Unless raw is set, the text has the escapes of records: \t \n \r \\ represent TAB, LF, CR and a
 * backslash. Escapes, and all other backslashes, separate words.
 *
 * One thread uses a tokenizer; tokenizers share nothing. */
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

/* Bits of sh_token_opts.keep: kinds of code points. Digits of all scripts are one kind. ALPHA means all
 * scripts without a bit of their own. */
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

/* Parses a list such as "han,alpha". SH_ERR_PARAM names an unknown kind. */
int sh_keep_parse(struct sh_slice list, unsigned *keep, struct sh_error *err);

struct sh_stoplist;

struct sh_jieba;
struct sh_cppjieba;
struct sh_token_method;

/* Filters are applied to whole folded words in this order: keep, min_chars, stop, mask_digits, stem.
 * SH_UNIT_CHAR then splits the result into characters. */
struct sh_token_opts {
	enum sh_unit unit;
	bool no_fold;       /* no NFKC, no case folding */
	bool raw;           /* the text has no escapes */
	bool mask_digits;   /* each maximal sequence of decimal digits in a token becomes one 0 */
	unsigned min_chars; /* drop words of fewer code points, but no character token */
	/* SH_KEEP_*: drop words without a code point of these kinds; 0: drop none */
	unsigned keep;
	const struct sh_stoplist *stop; /* words to drop, or NULL; borrowed, may be shared */
	const char *stem; /* language or algorithm of text/stem.h, or NULL; borrowed */
	bool apart;       /* n-gram texts are not needed: bytes between two words may be anything */
	bool places;      /* fill sh_tokens.from and to; slower. Not for methods with no_places */
	/* A method (text/method.h) that replaces the one described above, or NULL. */
	const struct sh_token_method *method;
	const struct sh_jieba *jieba; /* for methods that need a dictionary; borrowed, shared */
	const struct sh_cppjieba *cppjieba;
	bool punctuation;   /* methods with a dictionary: tokens without letters or digits, too */
	bool stop_any_case; /* methods with a dictionary: stop words match in any ASCII case */
};

/* Valid until the next call on the same tokenizer.
 *
 * SH_UNIT_WORD: the text is the tokens, with single spaces between them. SH_UNIT_CHAR: each code point of a
 * word is a token. Between two words is one token '_', which is never part of a word; it represents
 * separators and dropped words. There is no '_' at either end of the text, and none between two characters
 * that are tokens because of their script.
 *
 * The n-gram of tokens i .. i+n-1 is the bytes start[i] .. end[i+n-1] - 1. With opts.apart, which is
 * faster, the bytes between two words may be anything. */
struct sh_tokens {
	const char *text;            /* 64 bytes after its end may be read */
	const uint32_t *start, *end; /* byte offsets in text */
	size_t n;
	uint64_t bad_utf8; /* ill-formed sequences in the text */
	/* With opts.places: token i came from the bytes from[i] .. to[i] - 1 of the given text, with its
	 * escapes. Both are borders of characters and of escapes. Tokens of one character share its bytes.
	 * The '_' of a gap has no bytes: its position is behind the word before it. NULL without
	 * opts.places. */
	const uint32_t *from, *to;
};

struct sh_ascii_kernel;

/* Returns the unit of the options, or SH_UNIT_CHAR when the method gives characters. */
enum sh_unit sh_token_unit(const struct sh_token_opts *opts);

/* The options are copied. Objects that they borrow must outlive the tokenizer. */
struct sh_tokenizer *sh_tokenizer_new(const struct sh_token_opts *opts, struct sh_error *err);
void sh_tokenizer_delete(struct sh_tokenizer *t);

/* For tests: uses this variant of ascii.h, or none for NULL, instead of the fastest. */
void sh_tokenizer_force(struct sh_tokenizer *t, const struct sh_ascii_kernel *kernel);

/* Splits a text. SH_ERR_PARAM when it is longer than SH_TOKEN_TEXT_MAX. */
int sh_tokenize(
    struct sh_tokenizer *t, struct sh_slice text, struct sh_tokens *out, struct sh_error *err);

#endif
