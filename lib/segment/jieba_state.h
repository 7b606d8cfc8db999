/* SPDX-License-Identifier: MIT */
/* The members of a segmenter, for jieba.c, jieba_row.c and jieba_all.c. */
#ifndef SH_SEGMENT_JIEBA_STATE_H
#define SH_SEGMENT_JIEBA_STATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "segment/jieba.h"

struct sh_segmenter {
	const struct sh_jieba *j;
	enum sh_jieba_mode mode;
	const char *at, *end; /* the text after the row */

	/* The row: `have` characters. The first n are complete stretches and gaps. The other
	 * characters begin a stretch that the next row completes. */
	uint16_t *code; /* of each character, and a gap after the last */
	uint32_t *off;  /* byte offset in row_text of each character, and the end of the last */
	uint16_t *step; /* see sh_jieba_route() */
	uint8_t *path;  /* path[i]: the model's state of character model_start + i */
	size_t code_cap, off_cap, step_cap, path_cap;
	const char *row_text;
	size_t have, n;
	size_t x;                      /* the next character to be split */
	size_t run_end;                /* the model splits characters x .. run_end - 1 */
	size_t model_start, model_end; /* path[] has characters model_start .. model_end - 1 */

	/* For cut_all. */
	uint16_t *edges; /* see sh_jieba_edges() */
	size_t edges_cap;
	size_t covered;          /* index of the character after the last word */
	struct sh_slice english; /* letters of a word that may be continued; empty: none */
	struct sh_buf joined;    /* holds english when english is not contiguous in the text */
	struct sh_arena made;    /* words that are not contiguous in the text */
	const char *gaps;        /* start of the word of gaps being read; NULL: none */

	double *ring; /* scratch of sh_jieba_route() */
	size_t ring_cap, ring_mask;

	struct sh_slice *words;
	size_t n_words, words_cap;
	size_t limit; /* pause when there are at least this many words */
};

/* Reads the next row: 256 characters, and more until a stretch ends. There must be text left. */
int sh_jieba_read_row(struct sh_segmenter *s, struct sh_error *err);

/* Splits the row by the rules of cut_all(). Stops at the row's end or at s->limit words. */
int sh_jieba_cut_all(struct sh_segmenter *s, struct sh_error *err);

/* ---- output ---- */

static inline bool sh_code_is_alnum(uint16_t code)
{
	return code <= SH_CODE_ALNUM;
}

static inline bool sh_code_is_gap(uint16_t code)
{
	return code >= SH_CODE_GAP;
}

/* Appends a word of n bytes. */
static inline int sh_jieba_give(
    struct sh_segmenter *s, const char *p, size_t n, struct sh_error *err)
{
	if (SH_RESERVE(s->words, s->words_cap, s->n_words + 1, err) < 0)
		return -1;
	s->words[s->n_words++] = sh_slice(p, n);
	return 0;
}

/* Appends the word of characters x .. x + len - 1 of the row. */
static inline int sh_jieba_give_chars(
    struct sh_segmenter *s, size_t x, size_t len, struct sh_error *err)
{
	return sh_jieba_give(s, s->row_text + s->off[x], s->off[x + len] - s->off[x], err);
}

#endif
