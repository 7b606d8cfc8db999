/* SPDX-License-Identifier: MIT */
/* Splits ASCII text into words, 64 bytes at a time: the inner loop of the default method (words.c),
 * in variants for different processors.
 *
 * A mask has one bit per byte, 1 where the byte belongs to a word. A word begins or ends where the
 * mask changes (as simdjson finds structure: Langdale and Lemire 2019). The letter of an escape is
 * removed from the mask without a branch. A call ends at the first unknown character. words.c
 * processes this character and calls again. words() knows ASCII, Han characters and common
 * punctuation, and in some variants kana; chars() knows ASCII.
 *
 * All variants give the tokens that words.c finds without a variant, byte by byte:
 * t/unit/test_variants_words.c compares them. The bytes between two words in the output may be
 * anything. */
#ifndef SH_TEXT_ASCII_H
#define SH_TEXT_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* A call writes at most SLACK bytes after the output text, and SLACK elements
 * after the last token. */
enum { SH_ASCII_SLACK = 64 };

struct sh_ascii_run {
	const uint8_t *p, *lim; /* input; p moves to lim or to the first unknown character */
	const uint8_t *table;   /* member `ascii` of the tokenizer */
	bool fold, escapes;     /* whether the table folds capitals, and knows escapes */
	bool open;              /* in and out: the last word may continue at p */
	bool pending;           /* in and out: the byte before p may begin an escape */
	bool escaped;           /* out: the byte before p is a backslash or ends an escape */
	uint8_t *text;          /* the output; room for lim - p + SLACK bytes after `used` */
	size_t used;            /* bytes of text in use */
	/* Only for words(). Offsets in text of n words. An open word starts at start[n]. Both have
	 * room for (lim - p) / 2 + SLACK more elements. */
	uint32_t *start, *end;
	size_t n;
};

struct sh_ascii_kernel {
	struct sh_variant variant;
	/* Appends the folded text, and the start and end of each word. */
	void (*words)(struct sh_ascii_run *run);
	/* Appends the characters of words, and one '_' after each word. Here open means: the output
	 * is not empty and does not end with '_'. */
	void (*chars)(struct sh_ascii_run *run);
	bool kana; /* words() knows kana */
};

/* Returns variant i of the variants that this machine can run, the fastest first; NULL after the
 * last. Without a variant the tokenizer reads bytes one by one. */
const struct sh_ascii_kernel *sh_ascii_kernel_at(unsigned i);

#endif
