/* SPDX-License-Identifier: MIT */
#include "segment/jieba.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "segment/jieba_trie.h"
#include "unicode/utf8.h"

enum { BATCH = 1024 }; /* sh_segment_next() returns about this number of words */

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

/* ---- rows ---- */

static bool is_alnum(uint16_t code)
{
	return code <= SH_CODE_ALNUM;
}

static bool is_gap(uint16_t code)
{
	return code >= SH_CODE_GAP;
}

enum { ROW = 256 }; /* characters of a row in which a stretch ends */

/* Reads at most `room` characters. \r\n counts as one character. */
static void read_chars(struct sh_segmenter *s, size_t room)
{
	const uint8_t *p = (const uint8_t *)s->at, *end = (const uint8_t *)s->end;
	uint16_t *code = s->code + s->have;
	uint32_t *off = s->off + s->have;
	size_t n;

	for (n = 0; n < room && p < end; n++) {
		const uint8_t *from = p;
		uint32_t cp = sh_utf8_next(&p, end);

		p += cp == '\r' && p < end && *p == '\n';
		code[n] = cp < 0x10000 ? s->j->code[cp] : SH_CODE_GAP;
		off[n + 1] = off[n] + (uint32_t)(p - from);
	}
	s->have += n;
	s->at = (const char *)p;
	code[n] = SH_CODE_GAP;
}

static int make_room(struct sh_segmenter *s, size_t chars, struct sh_error *err)
{
	if ((size_t)(s->at - s->row_text) > UINT32_MAX - 4 * chars)
		return sh_error_set(err, SH_ERR_RANGE, "more than 2 GiB of text without a break");
	chars += s->have + 1;
	if (SH_RESERVE(s->code, s->code_cap, chars, err) < 0 ||
	    SH_RESERVE(s->off, s->off_cap, chars, err) < 0)
		return -1;
	if (s->have == 0)
		s->off[0] = 0;
	return 0;
}

/* Moves the incomplete stretch at the row's end to the row's start. */
static void keep_rest(struct sh_segmenter *s)
{
	size_t rest = s->have - s->n;
	uint32_t start = s->have ? s->off[s->n] : 0;

	s->row_text += start;
	for (size_t i = 0; i < rest; i++) {
		s->code[i] = s->code[s->n + i];
		s->off[i] = s->off[s->n + i] - start;
	}
	if (s->have)
		s->off[rest] = s->off[s->have] - start;
	s->have = rest;
	s->n = 0;
}

/* Reads the next row: 256 characters, and more until a stretch ends. There must be text left. */
static int read_row(struct sh_segmenter *s, struct sh_error *err)
{
	size_t room = ROW;

	keep_rest(s);
	do {
		size_t before = s->have, end;

		if (make_room(s, room, err) < 0)
			return -1;
		read_chars(s, room);
		end = s->have;
		while (s->at < s->end && end > before && !is_gap(s->code[end - 1]))
			end--;
		if (end > before)
			s->n = end;
		room = s->have;
	} while (s->n == 0);
	s->x = s->run_end = s->model_end = s->covered = 0;
	return 0;
}

/* ---- output ---- */

/* Appends a word of n bytes. */
static inline int give(struct sh_segmenter *s, const char *p, size_t n, struct sh_error *err)
{
	if (SH_RESERVE(s->words, s->words_cap, s->n_words + 1, err) < 0)
		return -1;
	s->words[s->n_words++] = sh_slice(p, n);
	return 0;
}

/* Appends the word of characters x .. x + len - 1 of the row. */
static inline int give_chars(struct sh_segmenter *s, size_t x, size_t len, struct sh_error *err)
{
	return give(s, s->row_text + s->off[x], s->off[x + len] - s->off[x], err);
}

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
		if (is_word(s->j, s->code + x, gram) && give_chars(s, x, gram, err) < 0)
			return -1;
	return 0;
}

/* Appends the next len characters as a word. */
static inline int give_word(struct sh_segmenter *s, size_t len, struct sh_error *err)
{
	if (len > 2 && (s->mode == SH_JIEBA_SEARCH || s->mode == SH_JIEBA_SEARCH_NOHMM) &&
	    (give_grams(s, len, 2, err) < 0 || give_grams(s, len, 3, err) < 0))
		return -1;
	if (give_chars(s, s->x, len, err) < 0)
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

	if (!is_alnum(code[i])) {
		while (i < end && !is_alnum(code[i]) && !is_han(code[i]))
			i++;
		return i - s->x;
	}
	while (i < end && is_alnum(code[i]))
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

/* Appends the words of the route. Runs of single characters go to the model. */
static int cut_hmm(struct sh_segmenter *s, struct sh_error *err)
{
	while (s->x < s->n && s->n_words < s->limit) {
		size_t len = s->step[s->x];
		int status;

		if (s->x < s->run_end)
			status = give_model_word(s, err);
		else if (len == 1 && s->step[s->x + 1] == 1)
			status = give_singles(s, err);
		else
			status = give_word(s, len ? len : 1, err);
		if (status < 0)
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

		if (step[s->x] == 1 && is_alnum(code[s->x]))
			while (step[s->x + len] == 1 && is_alnum(code[s->x + len]))
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
		while (!is_gap(s->code[s->run_end]))
			s->run_end++;
		if ((s->x < s->run_end ? give_model_word(s, err) : give_word(s, 1, err)) < 0)
			return -1;
	}
	return 0;
}

/* ---- cut_all(): each occurrence of each dictionary word ---- */

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
	return word.n ? give(s, word.p, word.n, err) : 0;
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
	bool alnum = is_alnum(s->code[x]);

	if (!alnum && give_english(s, err) < 0)
		return -1;
	if (n == 1 && x >= s->covered) {
		const uint32_t *off = s->off + x;

		s->covered = x + s->edges[0];
		if (alnum)
			return add_english(s, s->row_text + off[0], off[s->edges[0]] - off[0], err);
		return give_chars(s, x, s->edges[0], err);
	}
	for (size_t i = 0; i < n; i++) {
		if (s->edges[i] == 1)
			continue;
		if (give_chars(s, x, s->edges[i], err) < 0)
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
	return from ? give(s, from, (size_t)(end - from), err) : 0;
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
	if (end_gaps(s, p, err) < 0 || give_chars(s, s->x, 1, err) < 0)
		return -1;
	s->gaps = s->row_text + s->off[s->x + 1];
	return 0;
}

/* Splits the row by the rules of cut_all(). Stops at the row's end or at s->limit words. */
static int cut_all(struct sh_segmenter *s, struct sh_error *err)
{
	for (; s->x < s->n && s->n_words < s->limit; s->x++) {
		if (is_gap(s->code[s->x])) {
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

/* ---- all modes ---- */

static int (*const cutters[])(struct sh_segmenter *, struct sh_error *) = {
	[SH_JIEBA_CUT] = cut_hmm,
	[SH_JIEBA_CUT_NOHMM] = cut_nohmm,
	[SH_JIEBA_CUT_ALL] = cut_all,
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
	sh_arena_free(&s->made);
	if (make_ready(s, err) < 0)
		return -1;
	while (s->n_words < s->limit) {
		if (s->x < s->n) {
			if (cutters[s->mode](s, err) < 0)
				return -1;
		} else if (s->at == s->end) {
			return 0;
		} else if (read_row(s, err) < 0 || find_route(s, err) < 0) {
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
