/* SPDX-License-Identifier: MIT */
/* jieba's cut_all(): each occurrence of each dictionary word. */
#include "segment/jieba_route.h"
#include "segment/jieba_state.h"

static int give_english(struct sh_segmenter *s, struct sh_error *err)
{
	struct sh_slice word = s->english;

	if (word.n && s->joined.n) {
		char *copy = sh_arena_room(&s->made, word.n, err);

		if (!copy)
			return -1;
		memcpy(copy, word.p, word.n);
		word.p = copy;
		s->joined.n = 0;
	}
	s->english.n = 0;
	return word.n ? sh_jieba_give(s, word.p, word.n, err) : 0;
}

/* Appends letters to the word that may be continued. */
static int add_english(struct sh_segmenter *s, const char *p, size_t n, struct sh_error *err)
{
	if (s->english.n == 0) {
		s->english = sh_slice(p, n);
		return 0;
	}
	if (s->joined.n == 0 && s->english.p + s->english.n == p) {
		s->english.n += n;
		return 0;
	}
	if (s->joined.n == 0 && sh_buf_add(&s->joined, s->english.p, s->english.n, err) < 0)
		return -1;
	if (sh_buf_add(&s->joined, p, n, err) < 0)
		return -1;
	s->english = sh_buf_slice(&s->joined);
	return 0;
}

/* Appends the words that start at character x of a stretch, as jieba's __cut_all() does. */
static int cut_stretch(struct sh_segmenter *s, struct sh_error *err)
{
	size_t x = s->x, n = sh_jieba_edges(s->j, s->code + x, s->n - x, s->edges);
	bool alnum = sh_code_is_alnum(s->code[x]);

	if (!alnum && give_english(s, err) < 0)
		return -1;
	if (n == 1 && x >= s->covered) {
		const uint32_t *off = s->off + x;

		s->covered = x + s->edges[0];
		if (alnum)
			return add_english(s, s->row_text + off[0], off[s->edges[0]] - off[0], err);
		return sh_jieba_give_chars(s, x, s->edges[0], err);
	}
	for (size_t i = 0; i < n; i++) {
		if (s->edges[i] == 1)
			continue;
		if (sh_jieba_give_chars(s, x, s->edges[i], err) < 0)
			return -1;
		s->covered = x + s->edges[i];
	}
	return 0;
}

/* Ends a word of gaps, at `end`. A SH_CODE_SPACE is a word of its own. It ends the word of gaps
 * before it and begins another one. A word of gaps may be empty. */
static int end_gaps(struct sh_segmenter *s, const char *end, struct sh_error *err)
{
	const char *from = s->gaps;

	s->gaps = NULL;
	return from ? sh_jieba_give(s, from, (size_t)(end - from), err) : 0;
}

static int cut_gap(struct sh_segmenter *s, struct sh_error *err)
{
	const char *p = s->row_text + s->off[s->x];

	if (give_english(s, err) < 0)
		return -1;
	if (!s->gaps)
		s->gaps = p;
	if (s->code[s->x] != SH_CODE_SPACE)
		return 0;
	if (end_gaps(s, p, err) < 0 || sh_jieba_give_chars(s, s->x, 1, err) < 0)
		return -1;
	s->gaps = s->row_text + s->off[s->x + 1];
	return 0;
}

int sh_jieba_cut_all(struct sh_segmenter *s, struct sh_error *err)
{
	for (; s->x < s->n && s->n_words < s->limit; s->x++) {
		if (sh_code_is_gap(s->code[s->x])) {
			if (cut_gap(s, err) < 0)
				return -1;
		} else if (end_gaps(s, s->row_text + s->off[s->x], err) < 0 ||
			   cut_stretch(s, err) < 0) {
			return -1;
		}
	}
	if (s->x < s->n || s->at < s->end)
		return 0;
	return give_english(s, err) < 0 ? -1 : end_gaps(s, s->end, err);
}
