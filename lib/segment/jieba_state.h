/* Inside the segmenter: its state, which jieba.c, jieba_row.c and jieba_all.c share. */
#ifndef SH_SEGMENT_JIEBA_STATE_H
#define SH_SEGMENT_JIEBA_STATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "segment/jieba.h"

struct sh_segmenter {
	const struct sh_jieba *j;
	enum sh_jieba_mode mode;
	const char *at, *end; /* what is left of the text */

	/* The row: characters that have been read, of which the first n are whole blocks
	 * and gaps and can be cut. */
	uint16_t *code; /* of each, and a gap behind the last */
	uint32_t *off;  /* where each starts in row_text, and where the last one ends */
	uint16_t *step; /* length of the word that starts there on the best way, 0 for a gap */
	uint8_t *path;  /* states of the model, from model_start on */
	size_t code_cap, off_cap, step_cap, path_cap;
	const char *row_text;
	size_t have, n;
	size_t x;           /* the next one to be cut */
	size_t run_end;     /* characters up to here are cut by the model ... */
	size_t model_start; /* ... of which path[] is known from here ... */
	size_t model_end;   /* ... to here */

	/* cut_all */
	uint16_t *edges;
	size_t edges_cap;
	size_t covered;          /* end of the words given so far */
	struct sh_slice english; /* pieces that wait for more, n = 0 when none */
	struct sh_buf joined;    /* english, where the text has it not in one piece */
	struct sh_arena made;    /* words that are not in the text */
	const char *gap;         /* what stands between blocks since here, or NULL */

	double *ring;
	size_t ring_cap, ring_mask;

	struct sh_slice *words;
	size_t n_words, words_cap;
	size_t limit; /* words after which to pause */
};

/* Read the next row: some characters, and then as many as it takes to end with a block.
 * The text is not at its end. */
int sh_jieba_read_row(struct sh_segmenter *s, struct sh_error *err);

/* Cut the row by cut_all(), to its end or the batch's. */
int sh_jieba_cut_all(struct sh_segmenter *s, struct sh_error *err);

/* ---- what both give ---- */

static inline bool sh_code_is_alnum(uint16_t code)
{
	return code <= SH_CODE_ALNUM;
}

static inline bool sh_code_is_gap(uint16_t code)
{
	return code >= SH_CODE_GAP;
}

static inline int sh_jieba_give(
    struct sh_segmenter *s, const char *p, size_t n, struct sh_error *err)
{
	if (s->n_words == s->words_cap &&
	    sh_grow((void **)&s->words, &s->words_cap, s->n_words + 1, sizeof *s->words, err) < 0)
		return -1;
	s->words[s->n_words++] = sh_slice(p, n);
	return 0;
}

/* len characters from x on */
static inline int sh_jieba_give_chars(
    struct sh_segmenter *s, size_t x, size_t len, struct sh_error *err)
{
	return sh_jieba_give(s, s->row_text + s->off[x], s->off[x + len] - s->off[x], err);
}

#endif
