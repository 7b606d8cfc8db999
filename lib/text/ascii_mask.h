/* What the variants of ascii.h share: blocks of 64 bytes as masks, one bit a byte, the
 * first byte lowest. */
#ifndef SH_TEXT_ASCII_MASK_H
#define SH_TEXT_ASCII_MASK_H

#include "text/ascii.h"

struct sh_ascii_masks {
	uint64_t word;      /* letters and digits */
	uint64_t backslash; /* 0 when there are no escapes */
	uint64_t escapable; /* t n r \ : what makes an escape of a backslash before it */
	uint64_t other;     /* not ASCII */
};

/* What one block leaves to the next. */
struct sh_ascii_state {
	uint64_t open, pending; /* see struct sh_ascii_run */
	uint64_t after;         /* bytes behind a backslash that may begin an escape */
	uint64_t ends;          /* bytes that end an escape, or are backslashes */
	uint64_t before;        /* the last bit of `ends` of the block before */
	uint64_t word;          /* what belongs to words */
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

/* The run ends behind the first k < 64 bytes of the block taken last. */
static inline void sh_ascii_end(
    struct sh_ascii_run *run, const struct sh_ascii_state *s, uint64_t follows, size_t k)
{
	run->open = follows >> k & 1;
	run->pending = s->after >> k & 1;
	run->escaped = k ? s->ends >> (k - 1) & 1 : s->before;
}

#endif
