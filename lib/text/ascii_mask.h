/* What the variants of ascii.h share: blocks of 64 bytes as masks, one bit a byte, the
 * first byte lowest. */
#ifndef SH_TEXT_ASCII_MASK_H
#define SH_TEXT_ASCII_MASK_H

#include "text/ascii.h"

/* A block's bytes, and those behind it that tell whether it ends in a character that is known. */
enum { SH_ASCII_SEEN = 66 };

struct sh_ascii_masks {
	uint64_t word;      /* letters and digits */
	uint64_t backslash; /* 0 when there are no escapes */
	uint64_t escapable; /* t n r \ : what makes an escape of a backslash before it */
	uint64_t other;     /* not ASCII; sh_ascii_unknown() takes out what is known */
	/* First bytes of characters that the row knows, see know_avx512(), of which the last bytes
	 * may stand in the next block: any; of three bytes; those that are words by themselves. */
	uint64_t first, three, han;
};

/* Chinese text is words of one character and a little punctuation, and English has some
 * of the latter. Known are Han characters from U+4E00 to U+9FBF, and perhaps kana, which fold to
 * themselves and are cut, and punctuation that folds to separators. Of all these only kana
 * compose with what follows, see step_back() in words.c. */

/* Without the instruction the compiler would call a function. */
static inline unsigned sh_ascii_popcount(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* What one block leaves to the next. */
struct sh_ascii_state {
	uint64_t open, pending; /* see struct sh_ascii_run */
	uint64_t after;         /* bytes behind a backslash that may begin an escape */
	uint64_t ends;          /* bytes that end an escape, or are backslashes */
	uint64_t before;        /* the last bit of `ends` of the block before */
	uint64_t word;          /* what belongs to words */
	uint64_t over;          /* ends of characters that began in the block before */
	uint64_t tails;         /* and their bytes */
};

static inline struct sh_ascii_state sh_ascii_begin(const struct sh_ascii_run *run)
{
	return (struct sh_ascii_state){ .open = run->open, .pending = run->pending };
}

/* The bytes that are neither ASCII nor of a character that is known. */
static inline uint64_t sh_ascii_unknown(struct sh_ascii_state *s, const struct sh_ascii_masks *m)
{
	uint64_t known = m->first | m->first << 1 | m->three << 2 | s->tails;

	s->tails = m->first >> 63 | m->three >> 62;
	return m->other & ~known;
}

/* The bytes that count: the first `left`, and nothing from the first unknown one on. */
static inline uint64_t sh_ascii_valid(uint64_t other, size_t left)
{
	uint64_t valid = left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX;

	other &= valid;
	return other ? (other & -other) - 1 : valid;
}

/* The bytes before which a backslash stands that is no escape's second byte. In a row of
 * backslashes these are every other one, and a borrow that runs through the row finds
 * them (simdjson's json_escape_scanner). A backslash before a byte that makes no escape
 * with it ends the row as well. */
static inline void sh_ascii_escapes(struct sh_ascii_state *s, uint64_t backslash)
{
	const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
	uint64_t begins = backslash & ~s->pending;
	uint64_t codes = ((begins << 1 | odd) - begins) ^ odd;

	s->after = codes ^ (backslash | s->pending);
	s->pending = (codes & backslash) >> 63;
}

/* Take in a block of which `valid` counts; s->word are its words' bytes. Returns the bytes
 * that follow one, in the block or before it: where a word that has ended would be. */
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

/* Where tokens start, and where they end, in a block that was taken with `follows`. */
static inline uint64_t sh_ascii_starts(const struct sh_ascii_state *s,
    const struct sh_ascii_masks *m, uint64_t valid, uint64_t follows)
{
	return (s->word & ~follows) | (m->han & valid);
}

/* A character that ends in the next block began in one that counts as a whole. */
static inline uint64_t sh_ascii_ends(
    struct sh_ascii_state *s, const struct sh_ascii_masks *m, uint64_t valid, uint64_t follows)
{
	uint64_t han = m->han & valid;
	uint64_t ends = (follows & ~s->word & valid) | han << 3 | s->over;

	s->over = han >> 61;
	return ends;
}

/* The run ends behind the first k < 64 bytes of the block taken last. */
static inline void sh_ascii_end(
    struct sh_ascii_run *run, const struct sh_ascii_state *s, uint64_t follows, size_t k)
{
	run->open = follows >> k & 1;
	run->pending = s->after >> k & 1;
	run->escaped = k ? s->ends >> (k - 1) & 1 : s->before;
}

#endif
