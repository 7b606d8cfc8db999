/* SPDX-License-Identifier: MIT */
#include "segment/jieba.h"

#include <stdlib.h>

#include "segment/jieba_route.h"
#include "segment/jieba_state.h"

enum { BATCH = 1024 }; /* sh_segment_next() returns about this number of words */

static const struct {
	const char *name;
	enum sh_jieba_mode mode;
} modes[] = {
	{ "cut", SH_JIEBA_CUT },
	{ "cut_nohmm", SH_JIEBA_CUT_NOHMM },
	{ "cut_all", SH_JIEBA_CUT_ALL },
	{ "search", SH_JIEBA_SEARCH },
	{ "search_nohmm", SH_JIEBA_SEARCH_NOHMM },
};

int sh_jieba_mode(struct sh_slice name, enum sh_jieba_mode *mode)
{
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (sh_slice_eq(name, sh_slice_str(modes[i].name))) {
			*mode = modes[i].mode;
			return 0;
		}
	return -1;
}

struct sh_segmenter *sh_segmenter_new(const struct sh_jieba *j, struct sh_error *err)
{
	struct sh_segmenter *s = calloc(1, sizeof *s);

	if (!s) {
		sh_error_nomem(err);
		return NULL;
	}
	s->j = j;
	return s;
}

void sh_segmenter_delete(struct sh_segmenter *s)
{
	if (!s)
		return;
	free(s->code);
	free(s->off);
	free(s->step);
	free(s->path);
	free(s->edges);
	sh_buf_free(&s->joined);
	sh_arena_free(&s->made);
	free(s->ring);
	free(s->words);
	free(s);
}

/* ---- output ---- */

static bool is_word(const struct sh_jieba *j, const uint16_t *code, size_t n)
{
	uint32_t at = sh_jieba_find(j, code, n);

	return at && j->node[at].log_freq >= 0;
}

/* cut_for_search(): appends the words of `gram` characters within a longer word
 * of len characters. */
static int give_grams(struct sh_segmenter *s, size_t len, size_t gram, struct sh_error *err)
{
	for (size_t x = s->x; len > gram && x + gram <= s->x + len; x++)
		if (is_word(s->j, s->code + x, gram) && sh_jieba_give_chars(s, x, gram, err) < 0)
			return -1;
	return 0;
}

/* Appends the next len characters as a word. */
static inline int give_word(struct sh_segmenter *s, size_t len, struct sh_error *err)
{
	if (len > 2 && (s->mode == SH_JIEBA_SEARCH || s->mode == SH_JIEBA_SEARCH_NOHMM) &&
	    (give_grams(s, len, 2, err) < 0 || give_grams(s, len, 3, err) < 0))
		return -1;
	if (sh_jieba_give_chars(s, s->x, len, err) < 0)
		return -1;
	s->x += len;
	return 0;
}

/* ---- the model, on characters up to run_end: finalseg.cut() ---- */

static bool is_han(uint16_t code)
{
	return code >= SH_CODE_HAN && code < SH_CODE_GAP;
}

static bool is_digit(uint16_t code)
{
	return code < SH_CODE_DIGIT + 10;
}

/* Returns the length of the next word, which has no Han characters: [a-zA-Z0-9]+(\.\d+)?%?, or a
 * maximal sequence of other characters. */
static size_t ascii_word(const struct sh_segmenter *s)
{
	const uint16_t dot = s->j->code['.'], percent = s->j->code['%'];
	const uint16_t *code = s->code;
	size_t i = s->x, end = s->run_end;

	if (!sh_code_is_alnum(code[i])) {
		while (i < end && !sh_code_is_alnum(code[i]) && !is_han(code[i]))
			i++;
		return i - s->x;
	}
	while (i < end && sh_code_is_alnum(code[i]))
		i++;
	if (end - i > 1 && code[i] == dot && is_digit(code[i + 1]))
		for (i += 2; i < end && is_digit(code[i]);)
			i++;
	if (i < end && code[i] == percent)
		i++;
	return i - s->x;
}

/* Computes the states of the Han characters from x on. */
static int ask_model(struct sh_segmenter *s, struct sh_error *err)
{
	size_t end = s->x;

	while (end < s->run_end && is_han(s->code[end]))
		end++;
	if (SH_RESERVE(s->path, s->path_cap, end - s->x, err) < 0)
		return -1;
	s->model_start = s->x;
	s->model_end = end;
	sh_hmm_path(s->j, s->code + s->x, end - s->x, s->path);
	return 0;
}

/* Returns the length of the model's next word. A word is one S, or ends with an
 * E, or at the end. */
static size_t model_word(const struct sh_segmenter *s)
{
	size_t i = s->x - s->model_start, n = s->model_end - s->model_start, start = i;

	if (s->path[i] == SH_HMM_S)
		return 1;
	while (i < n && s->path[i] != SH_HMM_E)
		i++;
	return (i < n ? i + 1 : n) - start;
}

/* Returns whether the next len characters are a removed word. */
static bool splits(const struct sh_segmenter *s, size_t len)
{
	uint32_t at;

	if (s->j->h.n_split == 0)
		return false;
	at = sh_jieba_find(s->j, s->code + s->x, len);
	return at && s->j->freq[at] & SH_FREQ_SPLIT;
}

static int give_model_word(struct sh_segmenter *s, struct sh_error *err)
{
	size_t len;

	if (!is_han(s->code[s->x]))
		return give_word(s, ascii_word(s), err);
	if (s->x >= s->model_end && ask_model(s, err) < 0)
		return -1;
	len = model_word(s);
	if (!splits(s, len))
		return give_word(s, len, err);
	while (len-- > 0)
		if (give_word(s, 1, err) < 0)
			return -1;
	return 0;
}

/* ---- modes: each appends words until the row ends or s->limit is reached ---- */

/* Gives the next sequence of single characters to the model. When the sequence is a dictionary
 * word, appends its characters. */
static int give_singles(struct sh_segmenter *s, struct sh_error *err)
{
	const uint16_t *step = s->step;
	size_t end = s->x + 2;

	while (step[end] == 1)
		end++;
	if (!is_word(s->j, s->code + s->x, end - s->x)) {
		s->run_end = end;
		return 0;
	}
	while (s->x < end)
		if (give_word(s, 1, err) < 0)
			return -1;
	return 0;
}

/* Returns the length of a sequence of single letters and digits that the model would make one word.
 * Returns 0 when other single characters follow, or when the sequence is a dictionary word. */
static inline size_t alnum_run(const struct sh_segmenter *s, size_t x)
{
	const uint16_t *step = s->step, *code = s->code;
	size_t end = x;

	while (step[end] == 1 && sh_code_is_alnum(code[end]))
		end++;
	return step[end] == 1 || is_word(s->j, code + x, end - x) ? 0 : end - x;
}

/* Appends the words of the route: a fast loop for the common case. Stops at a sequence of single
 * characters that is not only letters and digits. */
static int give_plain(struct sh_segmenter *s, struct sh_error *err)
{
	const uint16_t *step = s->step;
	const uint32_t *off = s->off;
	size_t x = s->x, n = s->n, left = s->limit - s->n_words;
	struct sh_slice *out;

	if (left > n - x)
		left = n - x;
	if (SH_RESERVE(s->words, s->words_cap, s->n_words + left, err) < 0)
		return -1;
	out = s->words + s->n_words;
	while (x < n && left-- > 0) {
		size_t len = step[x] ? step[x] : 1;

		if (step[x] == 1 && step[x + 1] == 1) {
			len = alnum_run(s, x);
			if (len == 0)
				break;
		}
		*out++ = sh_slice(s->row_text + off[x], off[x + len] - off[x]);
		x += len;
	}
	s->n_words = (size_t)(out - s->words);
	s->x = x;
	return 0;
}

static int cut_hmm(struct sh_segmenter *s, struct sh_error *err)
{
	bool plain = s->mode == SH_JIEBA_CUT;

	while (s->x < s->n && s->n_words < s->limit) {
		size_t len = s->step[s->x], words = s->n_words;

		if (s->x < s->run_end) {
			if (give_model_word(s, err) < 0)
				return -1;
			continue;
		}
		if (plain && give_plain(s, err) < 0)
			return -1;
		if (s->n_words > words)
			continue;
		if ((len == 1 && s->step[s->x + 1] == 1 ? give_singles(s, err)
							: give_word(s, len ? len : 1, err)) < 0)
			return -1;
	}
	return 0;
}

/* Adjacent single letters and digits are one word. */
static int cut_nohmm(struct sh_segmenter *s, struct sh_error *err)
{
	const uint16_t *step = s->step, *code = s->code;

	while (s->x < s->n && s->n_words < s->limit) {
		size_t len = step[s->x] ? step[s->x] : 1;

		if (step[s->x] == 1 && sh_code_is_alnum(code[s->x]))
			while (step[s->x + len] == 1 && sh_code_is_alnum(code[s->x + len]))
				len++;
		if (give_word(s, len, err) < 0)
			return -1;
	}
	return 0;
}

/* Appends the words of finalseg.cut() of each stretch. */
static int cut_model(struct sh_segmenter *s, struct sh_error *err)
{
	while (s->x < s->n && s->n_words < s->limit) {
		if (s->run_end < s->x)
			s->run_end = s->x;
		while (!sh_code_is_gap(s->code[s->run_end]))
			s->run_end++;
		if ((s->x < s->run_end ? give_model_word(s, err) : give_word(s, 1, err)) < 0)
			return -1;
	}
	return 0;
}

static int (*const cutters[])(struct sh_segmenter *, struct sh_error *) = {
	[SH_JIEBA_CUT] = cut_hmm,
	[SH_JIEBA_CUT_NOHMM] = cut_nohmm,
	[SH_JIEBA_CUT_ALL] = sh_jieba_cut_all,
	[SH_JIEBA_SEARCH] = cut_hmm,
	[SH_JIEBA_SEARCH_NOHMM] = cut_nohmm,
	[SH_JIEBA_FINALSEG] = cut_model,
};

static int find_route(struct sh_segmenter *s, struct sh_error *err)
{
	if (s->mode == SH_JIEBA_CUT_ALL || s->mode == SH_JIEBA_FINALSEG)
		return 0;
	if (SH_RESERVE(s->step, s->step_cap, s->n + 1, err) < 0)
		return -1;
	sh_jieba_route(s->j, s->code, s->n, s->step, s->ring, s->ring_mask);
	s->step[s->n] = 0;
	return 0;
}

/* Enlarges the scratch arrays for the longest word, which user words may have changed. */
static int make_ready(struct sh_segmenter *s, struct sh_error *err)
{
	size_t longest = s->j->h.max_len, want = 2;

	while (want <= longest)
		want *= 2;
	if (SH_RESERVE(s->ring, s->ring_cap, want, err) < 0 ||
	    SH_RESERVE(s->edges, s->edges_cap, longest, err) < 0)
		return -1;
	s->ring_mask = want - 1;
	return 0;
}

static int fill(struct sh_segmenter *s, struct sh_error *err)
{
	s->n_words = 0;
	sh_arena_clear(&s->made);
	if (make_ready(s, err) < 0)
		return -1;
	while (s->n_words < s->limit) {
		if (s->x < s->n) {
			if (cutters[s->mode](s, err) < 0)
				return -1;
		} else if (s->at == s->end) {
			return 0;
		} else if (sh_jieba_read_row(s, err) < 0 || find_route(s, err) < 0) {
			return -1;
		}
	}
	return 0;
}

void sh_segment_begin(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text)
{
	s->mode = mode;
	s->at = s->row_text = text.p;
	s->end = text.n ? text.p + text.n : text.p;
	s->have = s->n = s->x = 0;
	s->english.n = s->joined.n = 0;
	s->gaps = NULL;
	s->limit = BATCH;
}

int sh_segment_next(
    struct sh_segmenter *s, const struct sh_slice **words, size_t *n, struct sh_error *err)
{
	if (fill(s, err) < 0)
		return -1;
	*words = s->words;
	*n = s->n_words;
	return 0;
}

int sh_segment(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text,
    const struct sh_slice **words, size_t *n, struct sh_error *err)
{
	sh_segment_begin(s, mode, text);
	s->limit = SIZE_MAX;
	return sh_segment_next(s, words, n, err);
}
