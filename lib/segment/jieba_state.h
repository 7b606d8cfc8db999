/* The inside of a segmenter, shared by jieba.c, jieba_row.c and jieba_all.c. */
#ifndef SH_SEGMENT_JIEBA_STATE_H
#define SH_SEGMENT_JIEBA_STATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "segment/jieba.h"

struct sh_segmenter {
	const struct sh_jieba *j;
	enum sh_jieba_mode mode;
	const char *at, *end; /* text that was not read yet */

	/* The row: the characters that were read. The first n of them are whole stretches and gaps, which
	 * can be split. */
	uint16_t *code; /* of each character, and a gap after the last */
	uint32_t *off;  /* offset of each character in row_text, and the end of the last */
	uint16_t *step; /* length of the word that starts at each, on the best route; 0: a gap */
	uint8_t *path;  /* states of the model for the characters from model_start on */
	size_t code_cap, off_cap, step_cap, path_cap;
	const char *row_text;
	size_t have, n;
	size_t x;           /* the next character to be split */
	size_t run_end;     /* the model splits the characters before this one */
	size_t model_start; /* path[] holds the states of these characters: */
	size_t model_end;   /* model_start .. model_end - 1 */

	/* For cut_all. */
	uint16_t *edges;
	size_t edges_cap;
	size_t covered;          /* end of the last word */
	struct sh_slice english; /* letters of a word that may be continued; n = 0: none */
	struct sh_buf joined;    /* holds english when it is not contiguous in the text */
	struct sh_arena made;    /* words that are not contiguous in the text */
	const char *gap;         /* start of the gap being read, or NULL */

	double *ring;
	size_t ring_cap, ring_mask;

	struct sh_slice *words;
	size_t n_words, words_cap;
	size_t limit; /* pause when this number of words is reached */
};

/* Reads the next row: some characters, and more until a stretch ends. The text must not be at its end. */
int sh_jieba_read_row(struct sh_segmenter *s, struct sh_error *err);

/* Splits the row by the rules of cut_all(), up to its end or to s->limit words. */
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
	if (s->n_words == s->words_cap &&
	    sh_grow((void **)&s->words, &s->words_cap, s->n_words + 1, sizeof *s->words, err) < 0)
		return -1;
	s->words[s->n_words++] = sh_slice(p, n);
	return 0;
}

/* Appends a word of len characters of the row, from x on. */
static inline int sh_jieba_give_chars(
    struct sh_segmenter *s, size_t x, size_t len, struct sh_error *err)
{
	return sh_jieba_give(s, s->row_text + s->off[x], s->off[x + len] - s->off[x], err);
}

#endif
