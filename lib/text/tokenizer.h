/* SPDX-License-Identifier: MIT */
/* The members of a tokenizer, for the files that implement methods. Users of
 * tokens need only token.h.
 *
 * A method is a function and its row in published/tables.c. The function reads the text and
 * writes words with these functions, which apply units and filters:
 *
 *     sh_out_reserve(t, n, err)    makes room for n more code points and n more gaps
 *     sh_out_put(t, c)             appends a code point to the open word
 *     sh_out_end(t)                ends the open word, if there is one
 *     sh_out_gap(t)                ends the open word; for SH_UNIT_CHAR, appends a gap
 *
 * A method folds with t->fold, unless t->opts.no_fold is set, and adds the
 * ill-formed sequences to t->ill. */
#ifndef SH_TEXT_TOKENIZER_H
#define SH_TEXT_TOKENIZER_H

#include "text/ascii.h"
#include "text/method.h"
#include "text/stem.h"
#include "text/token.h"
#include "unicode/fold.h"

/* Values in sh_tokenizer.ascii. */
enum { SH_ASCII_SEPARATOR = 0, SH_ASCII_LEAVE = 0x80 };

enum { SH_TERMINAL_ESCAPE = 0x1B };

/* A part of the given text, in bytes. */
struct sh_place {
	uint32_t from, to;
};

struct sh_tokenizer {
	const struct sh_token_method *method;
	void *state;           /* of the method; its close() frees it */
	struct sh_buf scratch; /* of sh_plain_text() */
	struct sh_buf whole;   /* of sh_join_hyphens() */
	struct sh_stemmer *stemmer;
	bool no_memory; /* stemming failed: reported at the end of the text */
	struct sh_token_opts opts;
	bool filtered; /* at least one filter is used */
	bool plain;    /* no filter, and SH_UNIT_WORD */
	struct sh_fold *fold;
	/* For each byte: the folded byte of a word, SH_ASCII_SEPARATOR, or SH_ASCII_LEAVE (not
	 * ASCII, or a backslash that may begin an escape). */
	uint8_t ascii[256];
	const struct sh_ascii_kernel *ascii_kernel; /* NULL: read bytes one by one */
	bool han;                                   /* the kernel splits Han characters */
	struct sh_buf joined; /* the kernel's words with spaces between them, unless opts.apart */

	char *text;
	uint32_t *start, *end;
	size_t text_cap, start_cap, end_cap;
	size_t used; /* bytes of text in use */
	size_t word; /* start of the open word; equal to `used` when none is open */
	size_t n;
	size_t chars;    /* end in text of the last word that was split into characters */
	uint64_t ill;    /* ill-formed sequences */
	bool bytes;      /* each byte of text is a token: index replaces start and end */
	uint32_t *index; /* index[i] = i, for the first `indexes` elements */
	size_t indexes, index_cap;

	/* With opts.places (text/places.c). */
	struct {
		uint32_t *from, *to; /* of each token */
		size_t from_cap, to_cap;
		const uint8_t *base; /* the text, or its copy: joined, without escapes */
		size_t size;         /* bytes at base */
		/* Offset in the text of each byte of the copy; NULL: no copy. */
		const uint32_t *origin;
		uint32_t *joined, *unescaped; /* room for it: one for each kind of copy */
		size_t joined_cap, unescaped_cap;
		struct sh_place now;    /* bytes from which the next sh_out_put() comes */
		struct sh_place word;   /* the open word */
		struct sh_place *point; /* of each code point of the open word, for SH_UNIT_CHAR */
		size_t points, point_cap;
	} places;
};

/* Ends the open word: filters the word and splits it into tokens. For
 * sh_out_end(), unless t->plain. */
void sh_out_word(struct sh_tokenizer *t);

/* Reserves memory for n further code points, with a gap behind each. SH_ERR_RANGE: more than
 * UINT32_MAX bytes or tokens. */
int sh_out_reserve(struct sh_tokenizer *t, size_t n, struct sh_error *err);
/* Ends the open word. For SH_UNIT_CHAR appends the token '_', unless the last token is a gap, or
 * there is none. */
void sh_out_gap(struct sh_tokenizer *t);

/* For SH_UNIT_CHAR: returns whether the last token is a gap. A final '_' may
 * also be part of a word. */
bool sh_out_ends_with_gap(const struct sh_tokenizer *t);

/* ---- places, only with opts.places ---- */

/* Begins a text. Returns -1, and leaves *err to the caller, when the method does
 * not support places. */
int sh_places_begin(struct sh_tokenizer *t, struct sh_slice text);
/* Says that the method reads t->scratch, the copy of this text without escapes. */
int sh_places_unescaped(struct sh_tokenizer *t, struct sh_slice text, struct sh_error *err);
/* Makes room for t->start_cap tokens. */
int sh_places_reserve(struct sh_tokenizer *t, struct sh_error *err);
/* Says that the next code point comes from the bytes p .. end - 1 of what the method reads. */
void sh_places_at(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end);
/* Stores the place of the code point that sh_out_put() appends. */
void sh_places_put(struct sh_tokenizer *t);
/* Says that the code point of sh_places_at() belongs to the open word, but is left out. */
void sh_places_left_out(struct sh_tokenizer *t);
/* Forgets the place of the last code point, which the caller removes. */
static inline void sh_places_undo(struct sh_tokenizer *t)
{
	t->places.points -= t->places.points > 0;
}
/* Stores the places of tokens n .. t->n - 1 and of the open word. The kernel wrote byte used + i
 * of t->text for byte p[i]. */
void sh_places_kernel(struct sh_tokenizer *t, const uint8_t *p, size_t n, size_t used);
/* Returns the place of code point i of the open word. */
struct sh_place sh_places_point(const struct sh_tokenizer *t, size_t i);

static inline void sh_out_at(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end)
{
	if (t->opts.places)
		sh_places_at(t, p, end);
}

/* ---- tokens ---- */

static inline void sh_out_token_at(
    struct sh_tokenizer *t, size_t start, size_t end, struct sh_place place)
{
	if (t->opts.places) {
		t->places.from[t->n] = place.from;
		t->places.to[t->n] = place.to;
	}
	t->start[t->n] = (uint32_t)start;
	t->end[t->n++] = (uint32_t)end;
}

/* Makes the bytes start .. end - 1 of t->text a token, with the place of the open word. */
static inline void sh_out_token(struct sh_tokenizer *t, size_t start, size_t end)
{
	sh_out_token_at(t, start, end, t->places.word);
}

/* Appends code point c to the open word, unless opts.fold_marks leaves it out. There must be room:
 * see sh_out_reserve(). */
static inline void sh_out_put(struct sh_tokenizer *t, uint32_t c)
{
	if (t->opts.fold_marks && sh_is_pointing(c)) {
		if (t->opts.places)
			sh_places_left_out(t);
		return;
	}
	if (t->opts.places)
		sh_places_put(t);
	t->used += sh_utf8_put((uint8_t *)t->text + t->used, c);
}

/* Appends the bytes of a word, which may be ill-formed UTF-8, as sh_out_put() does. */
void sh_out_bytes(struct sh_tokenizer *t, struct sh_slice word);

static inline void sh_out_end(struct sh_tokenizer *t)
{
	if (t->used == t->word)
		return;
	if (!t->plain) {
		sh_out_word(t);
		return;
	}
	sh_out_token(t, t->word, t->used);
	t->text[t->used++] = ' ';
	t->word = t->used;
}

/* Writes a code point of the given class: into the open word, as a token, or as a gap. */
static inline void sh_out_classed(struct sh_tokenizer *t, uint32_t c, unsigned class)
{
	switch (class & SH_CLASS_KIND) {
	case SH_CLASS_WORD:
		sh_out_put(t, c);
		break;
	case SH_CLASS_CUT:
		sh_out_end(t);
		sh_out_put(t, c);
		sh_out_end(t);
		break;
	default:
		sh_out_gap(t);
	}
}

/* opts.join_hyphens: replaces *text by a copy in t->whole when a word is joined, and then maps the
 * places of the copy to the text. */
int sh_join_hyphens(struct sh_tokenizer *t, struct sh_slice *text, struct sh_error *err);

/* The default method: words by general category, see token.h. */
int sh_cut_words(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err);

#endif
