/* Shared by the variants of ascii.h: a block is 64 bytes of text. A mask of it has one bit for each
 * byte, the lowest bit for the first byte. */
#ifndef SH_TEXT_ASCII_MASK_H
#define SH_TEXT_ASCII_MASK_H

#include "text/ascii.h"

/* Bytes read for a block: two more decide whether its last character is known. */
enum { SH_ASCII_SEEN = 66 };

struct sh_ascii_masks {
	uint64_t word;      /* letters and digits */
	uint64_t backslash; /* 0 when there are no escapes */
	uint64_t escapable; /* t n r \ : a backslash before it begins an escape */
	uint64_t other;     /* not ASCII */
	/* First bytes of the characters that the variant knows: of all characters; of characters of three
	 * bytes; of characters that are words by themselves. The last bytes may lie in the next block. */
	uint64_t first, three, han;
};

/* Known characters: Han characters from U+4E00 to U+9FBF and, in some variants, kana, which fold to
 * themselves and are tokens of their own; and punctuation that folds to separators. Of these only
 * kana can compose with the next character: see step_back() in words.c. */

/* For processors without an instruction: the compiler would call a function. */
static inline unsigned sh_ascii_popcount(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* State between two blocks. */
struct sh_ascii_state {
	uint64_t open, pending; /* see struct sh_ascii_run */
	uint64_t after;         /* bytes after a backslash that may begin an escape */
	uint64_t ends;          /* bytes that end an escape, and backslashes */
	uint64_t before;        /* last bit of `ends` of the previous block */
	uint64_t word;          /* bytes of words */
	uint64_t over;          /* ends of characters that began in the previous block */
	uint64_t tails;         /* bytes of these characters */
};

static inline struct sh_ascii_state sh_ascii_begin(const struct sh_ascii_run *run)
{
	return (struct sh_ascii_state){ .open = run->open, .pending = run->pending };
}

/* Returns the bytes that are neither ASCII nor part of a known character. */
static inline uint64_t sh_ascii_unknown(struct sh_ascii_state *s, const struct sh_ascii_masks *m)
{
	uint64_t known = m->first | m->first << 1 | m->three << 2 | s->tails;

	s->tails = m->first >> 63 | m->three >> 62;
	return m->other & ~known;
}

/* Returns the bytes to process: the first `left`, up to the first unknown one. */
static inline uint64_t sh_ascii_valid(uint64_t other, size_t left)
{
	uint64_t valid = left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX;

	other &= valid;
	return other ? (other & -other) - 1 : valid;
}

/* Sets s->after to the bytes that follow a backslash which is not itself the second byte of an escape.
 * In a sequence of backslashes every other one is the second byte of an escape; a borrow that runs through
 * the sequence finds them (json_escape_scanner of simdjson). */
static inline void sh_ascii_escapes(struct sh_ascii_state *s, uint64_t backslash)
{
	const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
	uint64_t begins = backslash & ~s->pending;
	uint64_t codes = ((begins << 1 | odd) - begins) ^ odd;

	s->after = codes ^ (backslash | s->pending);
	s->pending = (codes & backslash) >> 63;
}

/* Processes the valid bytes of a block: sets s->word. Returns the bytes whose previous byte, in this
 * block or the previous one, belongs to a word. */
static inline uint64_t sh_ascii_take(
    struct sh_ascii_state *s, const struct sh_ascii_masks *m, uint64_t valid)
{
	uint64_t follows;

	s->before = s->ends >> 63;
	sh_ascii_escapes(s, m->backslash & valid);
	s->ends = (m->backslash & valid) | (s->after & m->escapable);
	s->word = m->word & valid & ~(s->after & m->escapable);
	follows = s->word << 1 | s->open;
	s->open = s->word >> 63;
	return follows;
}

/* Returns the bytes at which tokens start. `follows` is the result of sh_ascii_take(). */
static inline uint64_t sh_ascii_starts(const struct sh_ascii_state *s,
    const struct sh_ascii_masks *m, uint64_t valid, uint64_t follows)
{
	return (s->word & ~follows) | (m->han & valid);
}

/* Returns the bytes before which tokens end. A character may end in the next block. */
static inline uint64_t sh_ascii_ends(
    struct sh_ascii_state *s, const struct sh_ascii_masks *m, uint64_t valid, uint64_t follows)
{
	uint64_t han = m->han & valid;
	uint64_t ends = (follows & ~s->word & valid) | han << 3 | s->over;

	s->over = han >> 61;
	return ends;
}

/* Ends the run after the first k < 64 bytes of the last block. */
static inline void sh_ascii_end(
    struct sh_ascii_run *run, const struct sh_ascii_state *s, uint64_t follows, size_t k)
{
	run->open = follows >> k & 1;
	run->pending = s->after >> k & 1;
	run->escaped = k ? s->ends >> (k - 1) & 1 : s->before;
}

#endif
