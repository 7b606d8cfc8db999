/* Inside a tokenizer: what the files that cut text into tokens share. Users of the
 * library need only token.h.
 *
 * A way of cutting is a function and its row in the table of method.c. It reads the
 * text and hands words over through the functions below, which know about units,
 * filters and gaps:
 *
 *     sh_out_reserve(t, n, err)    room for n code points and as many gaps
 *     sh_out_put(t, c)             append a code point to the open word
 *     sh_out_end(t)                end the word, if one is open
 *     sh_out_gap(t)                the same, and what follows is not adjacent to it
 *
 * It folds with t->fold, unless t->opts.no_fold, and adds to t->ill. */
#ifndef SH_TEXT_TOKENIZER_H
#define SH_TEXT_TOKENIZER_H

#include "text/ascii.h"
#include "text/method.h"
#include "text/stem.h"
#include "text/token.h"
#include "unicode/fold.h"

/* Values in sh_tokenizer.ascii. */
enum { SH_ASCII_SEPARATOR = 0, SH_ASCII_LEAVE = 0x80 };

/* Readable bytes after the text of tokens. */
enum { SH_TOKEN_PAD = 64 };

/* A stretch of the text that was given, in bytes. */
struct sh_place {
	uint32_t from, to;
};

struct sh_tokenizer {
	const struct sh_token_method *method;
	void *state;           /* the method's own, for its close() */
	struct sh_buf scratch; /* for methods */
	struct sh_stemmer *stemmer;
	bool no_memory; /* there was none for a stem: told when the text is cut */
	struct sh_token_opts opts;
	bool filtered; /* any filter is on */
	bool plain;    /* words as they come: no filter, no characters */
	struct sh_fold *fold;
	/* per byte: the folded byte of a word, SEPARATOR, or LEAVE (not ASCII, or a
	 * backslash that may start an escape) */
	uint8_t ascii[256];
	const struct sh_ascii_kernel *ascii_kernel; /* NULL: bytes go one by one */
	bool han;                                   /* it goes on through Han characters */
	struct sh_buf joined; /* its words, joined by spaces, unless opts.apart */

	char *text;
	uint32_t *start, *end;
	size_t text_cap, start_cap, end_cap;
	size_t used; /* bytes of text in use */
	size_t word; /* where the open word begins; none is open when it equals used */
	size_t n;
	size_t chars; /* where the last word ended that was cut into characters */
	uint64_t ill;
	/* Each byte of text is a token: so start and end do not hold them. */
	bool bytes;
	uint32_t *index; /* index[i] = i, as far as such texts were long */
	size_t indexes, index_cap;

	/* With opts.places (text/places.c). */
	struct {
		uint32_t *from, *to; /* of each token */
		size_t from_cap, to_cap;
		const uint8_t
		    *base; /* what the method reads: the text, or its copy without escapes */
		const uint32_t
		    *escaped; /* of the copy: where in the text each byte stood; or NULL */
		uint32_t *escaped_room;
		size_t escaped_cap;
		struct sh_place now;    /* what sh_out_put() puts next is made of */
		struct sh_place word;   /* the open word */
		struct sh_place *point; /* each code point of the open word, for SH_UNIT_CHAR */
		size_t points, point_cap;
	} places;
};

/* The word being cut is complete: filter it and hand it over. For sh_out_end, when
 * t->plain is not set. */
void sh_out_word(struct sh_tokenizer *t);

int sh_out_reserve(struct sh_tokenizer *t, size_t n, struct sh_error *err);
void sh_out_gap(struct sh_tokenizer *t);

/* Returns whether the characters so far end with the '_' of a gap. Words of some methods contain '_'. */
bool sh_out_ends_with_gap(const struct sh_tokenizer *t);

/* ---- places, only with opts.places ---- */

/* Begin a text. */
int sh_places_begin(struct sh_tokenizer *t, const uint8_t *text);
/* The method reads this copy of the text, in which escapes are undone. */
int sh_places_unescaped(struct sh_tokenizer *t, struct sh_slice text, struct sh_error *err);
/* Room for as many tokens as t->start has. */
int sh_places_reserve(struct sh_tokenizer *t, struct sh_error *err);
/* What sh_out_put() puts next is made of the bytes p .. end - 1 of what the method reads. */
void sh_places_at(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end);
/* A code point is put. */
void sh_places_put(struct sh_tokenizer *t);
/* The code point that was put last is taken back. */
static inline void sh_places_take_back(struct sh_tokenizer *t)
{
	t->places.points -= t->places.points > 0;
}
/* The kernel made tokens from t->n == n on, of what it read from p on, byte for byte: the text from
 * `used` on. */
void sh_places_kernel(struct sh_tokenizer *t, const uint8_t *p, size_t n, size_t used);
/* The place of code point i of the open word. */
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

/* The open word is a token. */
static inline void sh_out_token(struct sh_tokenizer *t, size_t start, size_t end)
{
	sh_out_token_at(t, start, end, t->places.word);
}

static inline void sh_out_put(struct sh_tokenizer *t, uint32_t c)
{
	if (t->opts.places)
		sh_places_put(t);
	t->used += sh_utf8_put((uint8_t *)t->text + t->used, c);
}

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

/* Put a code point of the given class where it belongs. */
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

/* The default way: words by general category, see token.h. */
int sh_cut_words(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err);

#endif
