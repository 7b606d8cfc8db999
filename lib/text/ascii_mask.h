/* SPDX-License-Identifier: MIT */
/* Masks of a block for the variants of ascii.h. A block is 64 bytes of text. A mask has one
 * bit for each byte of the block, the lowest bit for the first byte. "The bytes that ..."
 * means: their bits are 1. */
#ifndef SH_TEXT_ASCII_MASK_H
#define SH_TEXT_ASCII_MASK_H

#include "text/ascii.h"

/* Bytes that are read for a block: two more show whether the last character is known. */
enum { SH_ASCII_SEEN = 66 };

struct sh_ascii_masks {
	uint64_t word;      /* letters and digits */
	uint64_t backslash; /* 0 when run->escapes is false */
	uint64_t escapable; /* t n r \: with a backslash before it, the byte ends an escape */
	uint64_t other;     /* not ASCII */

	/* Known characters that are not ASCII: Han characters U+4E00..U+9FBF and, in some variants,
	 * kana: tokens by themselves; also punctuation that folds to separators. Only kana can
	 * compose with the next character: see step_back() in words.c. */
	uint64_t first; /* first bytes of known characters of two or three bytes */
	uint64_t three; /* first bytes of known characters of three bytes */
	uint64_t han;   /* first bytes of known characters that are tokens */
};

/* State between two blocks. */
struct sh_ascii_state {
	uint64_t open, pending;  /* see struct sh_ascii_run; 0 or 1 */
	uint64_t after;          /* the bytes after a backslash that may begin an escape */
	uint64_t escaped;        /* the backslashes, and the bytes that end an escape */
	uint64_t escaped_before; /* the last byte of the previous block was in `escaped`; 0 or 1 */
	uint64_t word;           /* the bytes of words */
	uint64_t carried_tails;  /* the bytes of a known character begun in the previous block */
	uint64_t carried_ends;   /* the first byte behind a token begun in the previous block */
};

static inline struct sh_ascii_state sh_ascii_begin(const struct sh_ascii_run *run)
{
	return (struct sh_ascii_state){ .open = run->open, .pending = run->pending };
}

/* Returns the bytes that are neither ASCII nor part of a known character.
 * Updates s->carried_tails. */
static inline uint64_t sh_ascii_unknown(struct sh_ascii_state *s, const struct sh_ascii_masks *m)
{
	uint64_t known = m->first | m->first << 1 | m->three << 2 | s->carried_tails;

	s->carried_tails = m->first >> 63 | m->three >> 62;
	return m->other & ~known;
}

/* Returns the bytes to process: at most `left` bytes, up to the first unknown byte. */
static inline uint64_t sh_ascii_valid(uint64_t unknown, size_t left)
{
	uint64_t valid = left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX;

	unknown &= valid;
	return unknown ? (unknown & -unknown) - 1 : valid;
}

/* Sets s->after. A backslash may begin an escape unless it ends one. In a sequence of backslashes,
 * every second backslash ends an escape. A subtraction finds these backslashes: its borrow runs
 * through a sequence (json_escape_scanner of simdjson). `codes`: the backslashes that begin an
 * escape, and the byte behind a sequence whose last backslash begins an escape. */
static inline void sh_ascii_escapes(struct sh_ascii_state *s, uint64_t backslash)
{
	const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
	uint64_t begins = backslash & ~s->pending;
	uint64_t codes = ((begins << 1 | odd) - begins) ^ odd;

	s->after = codes ^ (backslash | s->pending);
	s->pending = (codes & backslash) >> 63;
}

/* Computes s->word and the escapes of the valid bytes of a block. Returns the bytes whose
 * previous byte, perhaps of the previous block, is of a word. */
static inline uint64_t sh_ascii_step(
    struct sh_ascii_state *s, const struct sh_ascii_masks *m, uint64_t valid)
{
	uint64_t follows;

	s->escaped_before = s->escaped >> 63;
	sh_ascii_escapes(s, m->backslash & valid);
	s->escaped = (m->backslash & valid) | (s->after & m->escapable);
	s->word = m->word & valid & ~(s->after & m->escapable);
	follows = s->word << 1 | s->open;
	s->open = s->word >> 63;
	return follows;
}

/* Returns the bytes at which tokens start. `follows` is the result of sh_ascii_step(). */
static inline uint64_t sh_ascii_starts(const struct sh_ascii_state *s,
    const struct sh_ascii_masks *m, uint64_t valid, uint64_t follows)
{
	return (s->word & ~follows) | (m->han & valid);
}

/* Returns the first byte behind each token that ends in the block. Updates s->carried_ends. */
static inline uint64_t sh_ascii_ends(
    struct sh_ascii_state *s, const struct sh_ascii_masks *m, uint64_t valid, uint64_t follows)
{
	uint64_t han = m->han & valid;
	uint64_t ends = (follows & ~s->word & valid) | han << 3 | s->carried_ends;

	s->carried_ends = han >> 61;
	return ends;
}

/* Ends the run after the first k < 64 bytes of the last block. */
static inline void sh_ascii_end(
    struct sh_ascii_run *run, const struct sh_ascii_state *s, uint64_t follows, size_t k)
{
	run->open = follows >> k & 1;
	run->pending = s->after >> k & 1;
	run->escaped = k ? s->escaped >> (k - 1) & 1 : s->escaped_before;
}

#endif
