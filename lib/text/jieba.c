#include "text/jieba.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "text/jieba_hmm.h"
#include "text/jieba_route.h"
#include "text/utf8.h"

enum {
	BATCH = 4096, /* words that sh_segment_next() returns, about */
	ROW = 256,    /* characters that are cut together, if a block ends there */
};

struct sh_segmenter {
	const struct sh_jieba *j;
	enum sh_jieba_mode mode;
	const char *at, *end; /* what is left of the text */

	/* The row: characters that have been read, of which the first n are whole blocks
	 * and gaps and can be cut. */
	uint16_t *code;     /* of each, and a gap behind the last */
	uint32_t *off;      /* where each starts in row_text, and where the last one ends */
	uint16_t *step;     /* length of the word that starts there on the best way, 0 for a gap */
	uint8_t *path;      /* states of the model, from model_start on */
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

/* ---- giving words ---- */

static inline int give(struct sh_segmenter *s, const char *p, size_t n, struct sh_error *err)
{
	if (s->n_words == s->words_cap &&
	    sh_grow((void **)&s->words, &s->words_cap, s->n_words + 1, sizeof *s->words, err) < 0)
		return -1;
	s->words[s->n_words++] = sh_slice(p, n);
	return 0;
}

static bool is_word(const struct sh_jieba *j, const uint16_t *code, size_t n)
{
	uint32_t at = sh_jieba_find(j, code, n);

	return at && j->node[at].log_freq >= 0;
}

/* len characters from x on */
static inline int give_chars(struct sh_segmenter *s, size_t x, size_t len, struct sh_error *err)
{
	return give(s, s->row_text + s->off[x], s->off[x + len] - s->off[x], err);
}

/* cut_for_search(): the dictionary's words of `gram` characters within a longer one. */
static int give_grams(struct sh_segmenter *s, size_t len, size_t gram, struct sh_error *err)
{
	for (size_t x = s->x; len > gram && x + gram <= s->x + len; x++)
		if (is_word(s->j, s->code + x, gram) && give_chars(s, x, gram, err) < 0)
			return -1;
	return 0;
}

/* The next len characters as a word. */
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

static bool is_alnum(uint16_t code)
{
	return code <= SH_CODE_ALNUM;
}

static bool is_han(uint16_t code)
{
	return code >= SH_CODE_HAN && code < SH_CODE_GAP;
}

static bool is_gap(uint16_t code)
{
	return code >= SH_CODE_GAP;
}

static bool is_digit(uint16_t code)
{
	return code < SH_CODE_DIGIT + 10;
}

/* Without Han: [a-zA-Z0-9]+(\.\d+)?%? is a word, and so is what stands between two of them. */
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

/* Run the model over the Han characters from x on. */
static int ask_model(struct sh_segmenter *s, struct sh_error *err)
{
	size_t end = s->x;

	while (end < s->run_end && is_han(s->code[end]))
		end++;
	if (end - s->x > s->path_cap &&
	    sh_grow((void **)&s->path, &s->path_cap, end - s->x, sizeof *s->path, err) < 0)
		return -1;
	s->model_start = s->x;
	s->model_end = end;
	sh_hmm_path(s->j, s->code + s->x, end - s->x, s->path);
	return 0;
}

/* Up to the next E, or one S; an unfinished tail is a word too. */
static size_t model_word(const struct sh_segmenter *s)
{
	size_t i = s->x - s->model_start, n = s->model_end - s->model_start, start = i;

	if (s->path[i] == SH_HMM_S)
		return 1;
	while (i < n && s->path[i] != SH_HMM_E)
		i++;
	return (i < n ? i + 1 : n) - start;
}

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

/* ---- rows, by mode: each gives words until the row or the batch ends ---- */

/* A run of single characters goes to the model, unless it is a word by itself. */
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

/* A run of single letters and digits alone, the common one: the model makes one word of
 * it. Its length, or 0 when the run goes on with others or is in the dictionary. */
static inline size_t alnum_run(const struct sh_segmenter *s, size_t x)
{
	const uint16_t *step = s->step, *code = s->code;
	size_t end = x;

	while (step[end] == 1 && is_alnum(code[end]))
		end++;
	return step[end] == 1 || is_word(s->j, code + x, end - x) ? 0 : end - x;
}

/* The common cases without detours. Stops at a run of single characters for the model. */
static int give_plain(struct sh_segmenter *s, struct sh_error *err)
{
	const uint16_t *step = s->step;
	const uint32_t *off = s->off;
	size_t x = s->x, n = s->n, left = s->limit - s->n_words;
	struct sh_slice *out;

	if (left > n - x)
		left = n - x;
	if (s->n_words + left > s->words_cap && sh_grow((void **)&s->words, &s->words_cap,
						    s->n_words + left, sizeof *out, err) < 0)
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

/* Single letters and digits side by side are one word. */
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

/* Put a piece behind the ones that wait. */
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

/* What starts at character x of a block, in jieba's __cut_all(). */
static int cut_all_block(struct sh_segmenter *s, struct sh_error *err)
{
	size_t x = s->x, n = sh_jieba_edges(s->j, s->code + x, s->n - x, s->edges);
	bool alnum = is_alnum(s->code[x]);

	if (!alnum && give_english(s, err) < 0)
		return -1;
	if (n == 1 && x >= s->covered) {
		const uint32_t *off = s->off + x;

		s->covered = x + s->edges[0];
		if (alnum)
			return add_english(
			    s, s->row_text + off[0], off[s->edges[0]] - off[0], err);
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

/* Between blocks only blanks are words; all that stands between two of them, or between
 * one and a block, is one too, even nothing. */
static int end_gap(struct sh_segmenter *s, const char *end, struct sh_error *err)
{
	const char *from = s->gap;

	s->gap = NULL;
	return from ? give(s, from, (size_t)(end - from), err) : 0;
}

static int cut_all_gap(struct sh_segmenter *s, struct sh_error *err)
{
	const char *p = s->row_text + s->off[s->x];

	if (give_english(s, err) < 0)
		return -1;
	if (!s->gap)
		s->gap = p;
	if (s->code[s->x] != SH_CODE_SPACE)
		return 0;
	if (end_gap(s, p, err) < 0 || give_chars(s, s->x, 1, err) < 0)
		return -1;
	s->gap = s->row_text + s->off[s->x + 1];
	return 0;
}

static int cut_all(struct sh_segmenter *s, struct sh_error *err)
{
	for (; s->x < s->n && s->n_words < s->limit; s->x++) {
		if (is_gap(s->code[s->x])) {
			if (cut_all_gap(s, err) < 0)
				return -1;
		} else if (end_gap(s, s->row_text + s->off[s->x], err) < 0 ||
			   cut_all_block(s, err) < 0) {
			return -1;
		}
	}
	if (s->x < s->n || s->at < s->end)
		return 0;
	return give_english(s, err) < 0 ? -1 : end_gap(s, s->end, err);
}

/* finalseg.cut() of each block */
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

static int (*const cutters[])(struct sh_segmenter *, struct sh_error *) = {
	[SH_JIEBA_CUT] = cut_hmm,
	[SH_JIEBA_CUT_NOHMM] = cut_nohmm,
	[SH_JIEBA_CUT_ALL] = cut_all,
	[SH_JIEBA_SEARCH] = cut_hmm,
	[SH_JIEBA_SEARCH_NOHMM] = cut_nohmm,
	[SH_JIEBA_FINALSEG] = cut_model,
};

/* ---- text into rows ---- */

/* Characters of three bytes: how many, at most `room`. This is where most of a Chinese
 * text goes through, its punctuation too, so that little is left to guess for the
 * processor; what the next step will look up is sent for. */
static size_t read_three(
    const struct sh_jieba *j, const char *p, size_t n, uint16_t *code, uint32_t *off)
{
	const uint32_t marks = 0xE0u << 12 | 0x80u << 6 | 0x80u; /* what tells the bytes */
	const unsigned char *c = (const unsigned char *)p;
	uint32_t base = 0, at = off[0];
	size_t i;

	for (i = 0; i < n; i++, c += 3) {
		uint32_t cp = ((uint32_t)c[0] << 12) + ((uint32_t)c[1] << 6) + c[2] - marks;

		if (((c[1] ^ 0x80) | (c[2] ^ 0x80)) > 0x3F || cp - 0x800 >= 0x10000 - 0x800)
			break;
		code[i] = j->code[cp];
		if (code[i] == 0) /* a surrogate */
			break;
		__builtin_prefetch(&j->node[base + code[i]]);
		base = j->node[code[i]].base;
		off[i + 1] = at += 3;
	}
	return i;
}

/* ASCII but for \r. */
static size_t read_ascii(
    const struct sh_jieba *j, const char *p, size_t n, uint16_t *code, uint32_t *off)
{
	uint32_t at = off[0];
	size_t i;

	for (i = 0; i < n && (unsigned char)p[i] < 0x80 && p[i] != '\r'; i++) {
		code[i] = j->code[(unsigned char)p[i]];
		off[i + 1] = ++at;
	}
	return i;
}

/* Any character that is not of class K; \r\n counts as one. */
static size_t read_gap(
    const struct sh_jieba *j, const char *p, const char *end, uint16_t *code, uint32_t *off)
{
	const uint8_t *q = (const uint8_t *)p;
	uint32_t cp = sh_utf8_next(&q, (const uint8_t *)end);
	size_t bytes = (size_t)((const char *)q - p);

	if (cp == '\r' && end - p > 1 && p[1] == '\n')
		bytes = 2;
	*code = cp < 0x10000 ? j->code[cp] : SH_CODE_GAP;
	off[1] = off[0] + (uint32_t)bytes;
	return bytes;
}

/* Read `room` characters, or to the end of the text. */
static void read_chars(struct sh_segmenter *s, size_t room)
{
	const char *p = s->at, *end = s->end;
	uint16_t *code = s->code + s->have;
	uint32_t *off = s->off + s->have;
	size_t n = 0;

	while (n < room && p < end) {
		size_t left = (size_t)(end - p) / 3, three, ascii;

		three = read_three(s->j, p, left < room - n ? left : room - n, code + n, off + n);
		n += three;
		p += 3 * three;
		left = (size_t)(end - p);
		ascii = read_ascii(s->j, p, left < room - n ? left : room - n, code + n, off + n);
		n += ascii;
		p += ascii;
		if (three + ascii == 0) {
			p += read_gap(s->j, p, end, code + n, off + n);
			n++;
		}
	}
	s->have += n;
	s->at = p;
	code[n] = SH_CODE_GAP;
}

static int make_room(struct sh_segmenter *s, size_t chars, struct sh_error *err)
{
	if ((size_t)(s->at - s->row_text) > UINT32_MAX - 4 * chars)
		return sh_error_set(err, SH_ERR_RANGE, "more than 2 GiB of text without a break");
	chars += s->have + 1;
	if (chars > s->code_cap &&
	    sh_grow((void **)&s->code, &s->code_cap, chars, sizeof *s->code, err) < 0)
		return -1;
	if (chars > s->off_cap &&
	    sh_grow((void **)&s->off, &s->off_cap, chars, sizeof *s->off, err) < 0)
		return -1;
	if (s->have == 0)
		s->off[0] = 0;
	return 0;
}

/* Move the block that the last row would have cut to the start. */
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

/* The next row: some characters, and then as many as it takes to end with a block. */
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

static int find_route(struct sh_segmenter *s, struct sh_error *err)
{
	if (s->mode == SH_JIEBA_CUT_ALL || s->mode == SH_JIEBA_FINALSEG)
		return 0;
	if (s->n >= s->step_cap &&
	    sh_grow((void **)&s->step, &s->step_cap, s->n + 1, sizeof *s->step, err) < 0)
		return -1;
	sh_jieba_route(s->j, s->code, s->n, s->step, s->ring, s->ring_mask);
	s->step[s->n] = 0;
	return 0;
}

/* Scratch as large as the longest word asks for, which user words may have changed. */
static int make_ready(struct sh_segmenter *s, struct sh_error *err)
{
	size_t longest = s->j->h.max_len, want = 2;

	while (want <= longest)
		want *= 2;
	if (want > s->ring_cap &&
	    sh_grow((void **)&s->ring, &s->ring_cap, want, sizeof *s->ring, err) < 0)
		return -1;
	if (longest > s->edges_cap &&
	    sh_grow((void **)&s->edges, &s->edges_cap, longest, sizeof *s->edges, err) < 0)
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
	s->gap = NULL;
	s->limit = BATCH;
}

int sh_segment_next(struct sh_segmenter *s, const struct sh_slice **words, size_t *n,
    struct sh_error *err)
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
