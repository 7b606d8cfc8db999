/* Splits ASCII text into words, 64 bytes at a time: the inner loop of the method `words` (words.c), in
 * one variant for each processor.
 *
 * A mask has a bit for each byte that belongs to a word. A word begins or ends where the mask changes
 * (as simdjson finds structure: Langdale and Lemire 2019). The letter of an escape is removed from
 * the mask without a branch. A call ends at the first byte that is not ASCII: words.c processes it
 * and calls again. words() of some variants also splits Han characters, kana and the commonest
 * punctuation: see ascii_mask.h.
 *
 * All variants give the same tokens: t/unit/test_variants_words.c compares them. The bytes between
 * two words in the output may be anything. */
#ifndef SH_TEXT_ASCII_H
#define SH_TEXT_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* Most bytes that a call overwrites after the text, and most elements after the last token. */
enum { SH_ASCII_SLACK = 64 };

struct sh_ascii_run {
	const uint8_t *p, *lim; /* input; p moves to lim or to the first unknown character */
	const uint8_t *table;   /* member `ascii` of the tokenizer */
	bool fold, escapes;     /* whether the table folds capitals, and knows escapes */
	bool open;              /* the last word may continue at p */
	bool pending;           /* a backslash that may begin an escape stands before p */
	bool escaped;           /* out: an escape, or a backslash, ended just before p */
	uint8_t *text;          /* room for lim - p + SLACK bytes after `used` */
	size_t used;
	/* Used by words() only. The open word starts at start[n]. Room for one word every two bytes,
	 * and SLACK more. */
	uint32_t *start, *end;
	size_t n;
};

struct sh_ascii_kernel {
	struct sh_variant variant;
	/* Appends the folded text, and the start and end of each word in it. */
	void (*words)(struct sh_ascii_run *run);
	/* Appends the characters of words, and one '_' after each word. `open` means here that the
	 * output is not empty and does not end with '_'. */
	void (*chars)(struct sh_ascii_run *run);
	bool han; /* words() splits Han characters, and perhaps kana */
};

extern const struct sh_ascii_kernel sh_ascii_plain;
#if defined(__x86_64__)
extern const struct sh_ascii_kernel sh_ascii_sse2, sh_ascii_avx2, sh_ascii_avx512;
#elif defined(__aarch64__)
extern const struct sh_ascii_kernel sh_ascii_neon;
#endif

/* Returns variant number i of those that this machine can run, the fastest first; NULL after the
 * last one. */
const struct sh_ascii_kernel *sh_ascii_kernel_at(unsigned i);

#endif
