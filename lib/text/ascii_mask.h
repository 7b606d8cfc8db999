/* What the variants of ascii.h share: blocks of 64 bytes as masks, one bit a byte, the
 * first byte lowest. */
#ifndef SH_TEXT_ASCII_MASK_H
#define SH_TEXT_ASCII_MASK_H

#include "text/ascii.h"

struct sh_ascii_masks {
	uint64_t word;      /* letters and digits */
	uint64_t backslash; /* 0 when there are no escapes */
	uint64_t escapable; /* t n r \ : what makes an escape of a backslash before it */
	uint64_t han;       /* first bytes of Han characters, see sh_ascii_known() */
	uint64_t other;     /* neither ASCII nor part of a character that is known here */
};

/* What a variant finds in 64 bytes that are not all ASCII. */
struct sh_ascii_bytes {
	uint64_t e2, e3, e4, e5_e8, e9, ef; /* first bytes of three */
	uint64_t tail, b8_bf, x80, bc, bf;  /* further bytes: any, and some */
	/* third bytes of U+3000..3002 3008..3011, of the forms of ! ( ) , : ; ? from U+FF01
	 * on, and of U+2013 2014 2018 2019 201C 201D */
	uint64_t after_e3_80, after_ef_bc, after_e2_80;
};

/* Chinese text is words of one character and a little punctuation, and English has some
 * of the latter. Han characters from U+4E00 to U+9FBF fold to themselves and are cut;
 * the punctuation above folds to one separator; none of them composes with what follows.
 * A character that the block does not hold whole is not known. */
static inline void sh_ascii_known(
    struct sh_ascii_masks *m, const struct sh_ascii_bytes *b, uint64_t not_ascii)
{
	uint64_t second, punctuation, known;

	second =
	    (b->e5_e8 & b->tail >> 1) | (b->e4 & b->b8_bf >> 1) | (b->e9 & (b->tail & ~b->bf) >> 1);
	m->han = second & b->tail >> 2;
	punctuation = (b->e3 & b->x80 >> 1 & b->after_e3_80 >> 2) |
		      (b->ef & b->bc >> 1 & b->after_ef_bc >> 2) |
		      (b->e2 & b->x80 >> 1 & b->after_e2_80 >> 2);
	known = m->han | punctuation;
	m->other = not_ascii & ~(known | known << 1 | known << 2);
}

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
	uint64_t cut;           /* 1: a Han character ends just where the block does */
};

static inline struct sh_ascii_state sh_ascii_begin(const struct sh_ascii_run *run)
{
	return (struct sh_ascii_state){ .open = run->open, .pending = run->pending };
}

/* The bytes that count: the first `left`, and nothing from the first non-ASCII byte on. */
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

static inline uint64_t sh_ascii_ends(
    struct sh_ascii_state *s, const struct sh_ascii_masks *m, uint64_t valid, uint64_t follows)
{
	uint64_t han = m->han & valid;
	uint64_t ends = (follows & ~s->word & valid) | han << 3;

	s->cut = han >> 61;
	return ends;
}

/* Whether the block that holds k known bytes ends in the middle of a character that the
 * next one may hold whole. */
static inline bool sh_ascii_goes_on(const uint8_t *p, size_t k, size_t left)
{
	return k >= 62 && left > 64 && p[k] >= 0xE2;
}

/* The block taken last was the first k < 64 bytes of it. */
static inline void sh_ascii_shorten(struct sh_ascii_state *s, uint64_t follows, size_t k)
{
	s->open = follows >> k & 1;
	s->pending = s->after >> k & 1;
	s->ends <<= 64 - k;
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
