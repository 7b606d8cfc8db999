/* SPDX-License-Identifier: MIT */
#include "segment/jieba.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "segment/jieba_trie.h"
#include "unicode/utf8.h"

enum { PIECE = 256 }; /* least characters of a piece that is not the end of the text */

struct sh_segmenter {
	const struct sh_jieba *j;
	enum sh_jieba_mode mode;
	const char *at, *end; /* the text that was not read yet */

	/* The piece: n characters. It ends with a gap, or with the text. */
	const char *piece;
	uint16_t *code; /* of each character, and a gap after the last */
	uint32_t *off;  /* byte offset in the piece of each character, and the end of the last */
	uint16_t *step; /* see sh_jieba_route() */
	uint8_t *path;  /* the model's states of some characters */
	size_t n, code_cap, off_cap, step_cap, path_cap;

	/* For cut_all. */
	uint16_t *edges; /* see sh_jieba_edges() */
	size_t edges_cap;
	struct sh_slice english; /* letters of a word that may be continued; empty: none */
	struct sh_buf joined;    /* holds english when english is not contiguous in the text */
	struct sh_arena made;    /* words that are not contiguous in the text */
	const char *gaps;        /* start of the word of gaps being read; NULL: none */

	double *ring; /* scratch of sh_jieba_route() */
	size_t ring_cap;

	struct sh_slice *words;
	size_t n_words, words_cap;
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

/* ---- characters ---- */

static bool is_alnum(uint16_t code)
{
	return code <= SH_CODE_ALNUM;
}

static bool is_gap(uint16_t code)
{
	return code >= SH_CODE_GAP;
}

static bool is_han(uint16_t code)
{
	return code >= SH_CODE_HAN && code < SH_CODE_GAP;
}

static bool is_digit(uint16_t code)
{
	return code < SH_CODE_DIGIT + 10;
}

/* Reads the next piece: PIECE characters, and more up to a gap. \r\n counts as one character. There
 * must be text left. */
static int read_piece(struct sh_segmenter *s, struct sh_error *err)
{
	const uint8_t *start = (const uint8_t *)s->at, *p = start, *end = (const uint8_t *)s->end;
	size_t n;

	for (n = 0; p < end && (n < PIECE || !is_gap(s->code[n - 1])); n++) {
		uint32_t cp;

		if (SH_RESERVE(s->code, s->code_cap, n + 2, err) < 0 ||
		    SH_RESERVE(s->off, s->off_cap, n + 2, err) < 0)
			return -1;
		if (p - start > INT32_MAX)
			return sh_error_set(
			    err, SH_ERR_RANGE, "more than 2 GiB of text without a break");
		s->off[n] = (uint32_t)(p - start);
		cp = sh_utf8_next(&p, end);
		p += cp == '\r' && p < end && *p == '\n';
		s->code[n] = cp < 0x10000 ? s->j->code[cp] : SH_CODE_GAP;
	}
	s->off[n] = (uint32_t)(p - start);
	s->code[n] = SH_CODE_GAP;
	s->n = n;
	s->piece = s->at;
	s->at = (const char *)p;
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

/* Appends the word of characters x .. x + len - 1 of the piece. */
static inline int give_chars(struct sh_segmenter *s, size_t x, size_t len, struct sh_error *err)
{
	return give(s, s->piece + s->off[x], s->off[x + len] - s->off[x], err);
}

static bool is_word(const struct sh_jieba *j, const uint16_t *code, size_t n)
{
	uint32_t at = sh_jieba_find(j, code, n);

	return at && j->node[at].log_freq >= 0;
}

/* Does the same as give_chars(). cut_for_search(): first appends the words of two, then of three
 * characters within a longer word. */
static inline int give_word(struct sh_segmenter *s, size_t x, size_t len, struct sh_error *err)
{
	bool search = s->mode == SH_JIEBA_SEARCH || s->mode == SH_JIEBA_SEARCH_NOHMM;

	for (size_t gram = 2; search && gram <= 3 && gram < len; gram++)
		for (size_t at = x; at + gram <= x + len; at++)
			if (is_word(s->j, s->code + at, gram) && give_chars(s, at, gram, err) < 0)
				return -1;
	return give_chars(s, x, len, err);
}

/* Appends each of len characters as a word. */
static int give_singles(struct sh_segmenter *s, size_t x, size_t len, struct sh_error *err)
{
	for (size_t end = x + len; x < end; x++)
		if (give_word(s, x, 1, err) < 0)
			return -1;
	return 0;
}

/* ---- the model: finalseg.cut() ---- */

/* Returns the length of the word at x, which has no Han characters: [a-zA-Z0-9]+(\.\d+)?%?, or a
 * maximal sequence of other characters. */
static size_t ascii_word(const struct sh_segmenter *s, size_t x, size_t end)
{
	const uint16_t dot = s->j->code['.'], percent = s->j->code['%'];
	const uint16_t *code = s->code;
	size_t i = x;

	if (!is_alnum(code[i])) {
		while (i < end && !is_alnum(code[i]) && !is_han(code[i]))
			i++;
		return i - x;
	}
	while (i < end && is_alnum(code[i]))
		i++;
	if (end - i > 1 && code[i] == dot && is_digit(code[i + 1]))
		for (i += 2; i < end && is_digit(code[i]);)
			i++;
	if (i < end && code[i] == percent)
		i++;
	return i - x;
}

/* Returns whether these characters are a removed word, which the model must not make. */
static bool is_removed(const struct sh_segmenter *s, size_t x, size_t len)
{
	uint32_t at;

	if (s->j->h.n_split == 0)
		return false;
	at = sh_jieba_find(s->j, s->code + x, len);
	return at && s->j->freq[at] & SH_FREQ_SPLIT;
}

/* Appends the model's words of n Han characters. A word is one S, or ends with an E, or at the
 * end. */
static int cut_han(struct sh_segmenter *s, size_t x, size_t n, struct sh_error *err)
{
	size_t len;

	if (SH_RESERVE(s->path, s->path_cap, n, err) < 0)
		return -1;
	sh_hmm_path(s->j, s->code + x, n, s->path);
	for (size_t i = 0; i < n; i += len) {
		len = 1;
		if (s->path[i] != SH_HMM_S)
			while (i + len < n && s->path[i + len - 1] != SH_HMM_E)
				len++;
		if ((is_removed(s, x + i, len) ? give_singles(s, x + i, len, err)
					       : give_word(s, x + i, len, err)) < 0)
			return -1;
	}
	return 0;
}

/* Appends the words of characters x .. end - 1, none of which is a gap. */
static int cut_by_model(struct sh_segmenter *s, size_t x, size_t end, struct sh_error *err)
{
	size_t len;

	for (; x < end; x += len) {
		for (len = 0; x + len < end && is_han(s->code[x + len]);)
			len++;
		if (len) {
			if (cut_han(s, x, len, err) < 0)
				return -1;
			continue;
		}
		len = ascii_word(s, x, end);
		if (give_word(s, x, len, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- modes: each appends the words of the piece ---- */

/* Appends the words of the route. Sequences of single characters go to the model, unless the
 * sequence is a word of the dictionary. */
static int cut_hmm(struct sh_segmenter *s, struct sh_error *err)
{
	const uint16_t *step = s->step;
	size_t len;

	for (size_t x = 0; x < s->n; x += len) {
		int status;

		for (len = 0; step[x + len] == 1;)
			len++;
		if (len < 2) {
			len = step[x] ? step[x] : 1;
			status = give_word(s, x, len, err);
		} else {
			status = is_word(s->j, s->code + x, len) ? give_singles(s, x, len, err)
								 : cut_by_model(s, x, x + len, err);
		}
		if (status < 0)
			return -1;
	}
	return 0;
}

/* Adjacent single letters and digits are one word. */
static int cut_nohmm(struct sh_segmenter *s, struct sh_error *err)
{
	const uint16_t *step = s->step, *code = s->code;
	size_t len;

	for (size_t x = 0; x < s->n; x += len) {
		len = step[x] ? step[x] : 1;
		if (step[x] == 1 && is_alnum(code[x]))
			while (step[x + len] == 1 && is_alnum(code[x + len]))
				len++;
		if (give_word(s, x, len, err) < 0)
			return -1;
	}
	return 0;
}

/* Appends the words of finalseg.cut() of each stretch. */
static int cut_model(struct sh_segmenter *s, struct sh_error *err)
{
	size_t len;

	for (size_t x = 0; x < s->n; x += len) {
		for (len = 0; !is_gap(s->code[x + len]);)
			len++;
		if (len == 0 ? give_word(s, x, len = 1, err) < 0
			     : cut_by_model(s, x, x + len, err) < 0)
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

/* Appends the words that start at character x of a stretch, as jieba's __cut_all() does. *covered:
 * the character after the last word. */
static int cut_stretch(struct sh_segmenter *s, size_t x, size_t *covered, struct sh_error *err)
{
	size_t n = sh_jieba_edges(s->j, s->code + x, s->n - x, s->edges);
	bool alnum = is_alnum(s->code[x]);

	if (!alnum && give_english(s, err) < 0)
		return -1;
	if (n == 1 && x >= *covered) {
		const uint32_t *off = s->off + x;

		*covered = x + s->edges[0];
		if (alnum)
			return add_english(s, s->piece + off[0], off[s->edges[0]] - off[0], err);
		return give_chars(s, x, s->edges[0], err);
	}
	for (size_t i = 0; i < n; i++) {
		if (s->edges[i] == 1)
			continue;
		if (give_chars(s, x, s->edges[i], err) < 0)
			return -1;
		*covered = x + s->edges[i];
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

static int cut_gap(struct sh_segmenter *s, size_t x, struct sh_error *err)
{
	const char *p = s->piece + s->off[x];

	if (give_english(s, err) < 0)
		return -1;
	if (!s->gaps)
		s->gaps = p;
	if (s->code[x] != SH_CODE_SPACE)
		return 0;
	if (end_gaps(s, p, err) < 0 || give_chars(s, x, 1, err) < 0)
		return -1;
	s->gaps = s->piece + s->off[x + 1];
	return 0;
}

/* A word of gaps may go on in the next piece. */
static int cut_all(struct sh_segmenter *s, struct sh_error *err)
{
	size_t covered = 0;

	for (size_t x = 0; x < s->n; x++) {
		if (is_gap(s->code[x])) {
			if (cut_gap(s, x, err) < 0)
				return -1;
		} else if (end_gaps(s, s->piece + s->off[x], err) < 0 ||
			   cut_stretch(s, x, &covered, err) < 0) {
			return -1;
		}
	}
	if (s->at < s->end)
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

/* Finds the route of the piece, for the modes that need it. The scratch arrays have room for the
 * longest word, which user words may have changed. */
static int find_route(struct sh_segmenter *s, struct sh_error *err)
{
	size_t longest = s->j->h.max_len, room = 2;

	if (s->mode == SH_JIEBA_CUT_ALL)
		return SH_RESERVE(s->edges, s->edges_cap, longest, err);
	if (s->mode == SH_JIEBA_FINALSEG)
		return 0;
	while (room <= longest)
		room *= 2;
	if (SH_RESERVE(s->ring, s->ring_cap, room, err) < 0 ||
	    SH_RESERVE(s->step, s->step_cap, s->n + 1, err) < 0)
		return -1;
	sh_jieba_route(s->j, s->code, s->n, s->step, s->ring, room - 1);
	s->step[s->n] = 0;
	return 0;
}

/* Appends the words of the next piece. */
static int cut_piece(struct sh_segmenter *s, struct sh_error *err)
{
	return read_piece(s, err) < 0 || find_route(s, err) < 0 ? -1 : cutters[s->mode](s, err);
}

void sh_segment_begin(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text)
{
	s->mode = mode;
	s->at = text.p;
	s->end = text.n ? text.p + text.n : text.p;
	s->english.n = s->joined.n = 0;
	s->gaps = NULL;
}

int sh_segment_next(
    struct sh_segmenter *s, const struct sh_slice **words, size_t *n, struct sh_error *err)
{
	s->n_words = 0;
	sh_arena_free(&s->made);
	while (s->at < s->end && s->n_words == 0)
		if (cut_piece(s, err) < 0)
			return -1;
	*words = s->words;
	*n = s->n_words;
	return 0;
}

int sh_segment(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text,
    const struct sh_slice **words, size_t *n, struct sh_error *err)
{
	sh_segment_begin(s, mode, text);
	s->n_words = 0;
	sh_arena_free(&s->made);
	while (s->at < s->end)
		if (cut_piece(s, err) < 0)
			return -1;
	*words = s->words;
	*n = s->n_words;
	return 0;
}
