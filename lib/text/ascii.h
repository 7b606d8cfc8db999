/* Words out of ASCII, 64 bytes at a time: the inner loop of the tokenizer's default
 * way (words.c), as a row that a faster one can replace.
 *
 * Each block becomes a mask of the bytes that belong to words; where it changes, a word
 * begins or ends (as simdjson finds structure: Langdale and Lemire 2019). An escape's
 * letter is taken out of the mask without a branch. The first byte that is not ASCII
 * ends the run; words.c deals with it and comes back. For words() a row may know Han
 * characters, kana and the commonest punctuation as well: see ascii_mask.h.
 *
 * All rows give the same tokens, and t/unit/test_variants_words.c holds them to it. What
 * stands in the text between two words may be anything. */
#ifndef SH_TEXT_ASCII_H
#define SH_TEXT_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* Bytes behind the text, and elements behind the last token, that a run may overwrite. */
enum { SH_ASCII_SLACK = 64 };

struct sh_ascii_run {
	const uint8_t *p, *lim; /* what to read; p moves to lim or to what the row does not know */
	const uint8_t *table;   /* of a tokenizer: see its member `ascii` */
	bool fold, escapes;     /* what the table does with capitals, and with backslashes */
	bool open;              /* a word is open: what follows may go on with it */
	bool pending;           /* a backslash that may begin an escape stood before p */
	bool escaped;           /* out: an escape, or a backslash, ended just before p */
	uint8_t *text;          /* room for lim - p bytes behind `used`, and SLACK */
	size_t used;
	/* words() alone. The open word starts at start[n]. Room for a word every two
	 * bytes and SLACK more. */
	uint32_t *start, *end;
	size_t n;
};

struct sh_ascii_kernel {
	struct sh_variant variant;
	/* Append the text, folded, and note where words start and end in it. */
	void (*words)(struct sh_ascii_run *run);
	/* Append the characters of words, and a '_' for the first separator behind each
	 * word. `open` here: what was appended last is no '_', and there is something. */
	void (*chars)(struct sh_ascii_run *run);
	bool han; /* words() goes on through Han characters, and perhaps kana */
};

extern const struct sh_ascii_kernel sh_ascii_plain;
#if defined(__x86_64__)
extern const struct sh_ascii_kernel sh_ascii_sse2, sh_ascii_avx2, sh_ascii_avx512;
#elif defined(__aarch64__)
extern const struct sh_ascii_kernel sh_ascii_neon;
#endif

/* The rows that this machine can run, fastest first; NULL after the last. */
const struct sh_ascii_kernel *sh_ascii_kernel_at(unsigned i);

#endif
