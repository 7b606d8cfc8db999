/* SPDX-License-Identifier: MIT */
#include "published/cppjieba.h"

#include <stdlib.h>

#include "base/buf.h"
#include "unicode/utf8.h"

struct sh_cppsegmenter {
	const struct sh_cppjieba *dict;
	enum sh_cppjieba_mode mode;
	const char *text;
	uint32_t *c; /* code points of the sentence; SH_UTF8_ILL: an ill-formed sequence */
	size_t *at;  /* byte offset in the text of each character, and the end of the last */
	size_t n, c_cap, at_cap;

	double *best; /* log probability of the best route from each character to the end */
	size_t *len;  /* characters of the first word of this route */
	size_t best_cap, len_cap;

	/* Viterbi: log probabilities and predecessors, SH_CPP_STATES for each character. */
	double *v;
	uint8_t *from;
	size_t v_cap, from_cap;

	struct sh_slice *words;
	size_t n_words, words_cap;
};

struct sh_cppsegmenter *sh_cppsegmenter_new(const struct sh_cppjieba *d, struct sh_error *err)
{
	struct sh_cppsegmenter *s = calloc(1, sizeof *s);

	if (s)
		s->dict = d;
	else
		sh_error_nomem(err);
	return s;
}

void sh_cppsegmenter_delete(struct sh_cppsegmenter *s)
{
	if (!s)
		return;
	free(s->c);
	free(s->at);
	free(s->best);
	free(s->len);
	free(s->v);
	free(s->from);
	free(s->words);
	free(s);
}

/* sh_reserve() for member `name` of *s. */
#define ROOM(name, n) SH_RESERVE(s->name, s->name##_cap, n, err)

/* Appends the characters i .. j-1 as one word. */
static int add_word(struct sh_cppsegmenter *s, size_t i, size_t j, struct sh_error *err)
{
	if (ROOM(words, s->n_words + 1) < 0)
		return -1;
	s->words[s->n_words++] = sh_slice(s->text + s->at[i], s->at[j] - s->at[i]);
	return 0;
}

/* Returns the dictionary's entry of the characters i .. j-1: a word, or only a prefix of words.
 * Returns NULL when no word begins with these characters. */
static const struct sh_cpp_word *find_entry(const struct sh_cppsegmenter *s, size_t i, size_t j)
{
	uint32_t index;

	if (!sh_hmap_find(
		&s->dict->keys, sh_slice(s->text + s->at[i], s->at[j] - s->at[i]), &index))
		return NULL;
	return &s->dict->word[index];
}

/* Appends the characters i .. j-1 as one word. SH_CPPJIEBA_QUERY: first appends the dictionary's
 * words of two, then of three characters inside this word. */
static int add_word_and_inner(struct sh_cppsegmenter *s, size_t i, size_t j, struct sh_error *err)
{
	for (size_t n = 2; s->mode == SH_CPPJIEBA_QUERY && n <= 3 && n < j - i; n++) {
		for (size_t at = i; at + n <= j; at++) {
			const struct sh_cpp_word *word = find_entry(s, at, at + n);

			if (word && word->is_word && add_word(s, at, at + n, err) < 0)
				return -1;
		}
	}
	return add_word(s, i, j, err);
}

/* ---- the dictionary ---- */

/* Computes the best route from right to left. A route is a split into words of the dictionary and
 * single characters. A character that is no word has the lowest weight. On a tie the shortest word
 * is chosen. */
static int find_route(struct sh_cppsegmenter *s, struct sh_error *err)
{
	const struct sh_cppjieba *d = s->dict;

	if (ROOM(best, s->n + 1) < 0 || ROOM(len, s->n + 1) < 0)
		return -1;
	s->best[s->n] = 0;
	for (size_t i = s->n; i-- > 0;) {
		s->best[i] = SH_CPP_NEVER;
		s->len[i] = 1;
		for (size_t j = i + 1; j <= s->n; j++) {
			const struct sh_cpp_word *entry = find_entry(s, i, j);
			bool is_word = entry && entry->is_word;

			if (is_word || j == i + 1) {
				double sum = s->best[j] + (is_word ? entry->weight : d->least);

				if (sum > s->best[i]) {
					s->best[i] = sum;
					s->len[i] = j - i;
				}
			}
			if (!entry)
				break;
		}
	}
	return 0;
}

/* ---- the model ---- */

/* Returns the log probability of a character in a state. c: a code point, or SH_UTF8_ILL. */
static double emit(const struct sh_cppjieba *d, uint32_t c, unsigned state)
{
	uint32_t row = d->emit_row[c];

	return row ? d->emit[row - 1][state] : SH_CPP_NEVER;
}

/* Fills v and from for n characters from character i on. Where no path is possible, cppjieba takes
 * E as the state before. */
static void find_paths(struct sh_cppsegmenter *s, size_t i, size_t n)
{
	const struct sh_cppjieba *d = s->dict;
	double *v = s->v;

	for (unsigned y = 0; y < SH_CPP_STATES; y++)
		v[y] = d->start[y] + emit(d, s->c[i], y);
	for (size_t x = 1; x < n; x++) {
		const double *before = v + (x - 1) * SH_CPP_STATES;

		for (unsigned y = 0; y < SH_CPP_STATES; y++) {
			double best = SH_CPP_NEVER, e = emit(d, s->c[i + x], y);
			unsigned best_from = SH_CPP_E;

			for (unsigned z = 0; z < SH_CPP_STATES; z++) {
				double p = before[z] + d->trans[z][y] + e;

				if (p > best) {
					best = p;
					best_from = z;
				}
			}
			v[x * SH_CPP_STATES + y] = best;
			s->from[x * SH_CPP_STATES + y] = (uint8_t)best_from;
		}
	}
}

/* Follows the states before each state on the best path, from the last of n characters on. Sets
 * from[x * SH_CPP_STATES] to the state of character x. */
static void follow_path(struct sh_cppsegmenter *s, size_t n)
{
	const double *last = s->v + (n - 1) * SH_CPP_STATES;
	unsigned state = last[SH_CPP_E] >= last[SH_CPP_S] ? SH_CPP_E : SH_CPP_S;

	for (size_t x = n; x-- > 0;) {
		unsigned now = state;

		state = x ? s->from[x * SH_CPP_STATES + now] : 0;
		s->from[x * SH_CPP_STATES] = (uint8_t)now;
	}
}

/* Splits the characters i .. end-1, of which none is ASCII. */
static int cut_by_model(struct sh_cppsegmenter *s, size_t i, size_t end, struct sh_error *err)
{
	size_t n = end - i, left = i;

	if (ROOM(v, n * SH_CPP_STATES) < 0 || ROOM(from, n * SH_CPP_STATES) < 0)
		return -1;
	find_paths(s, i, n);
	follow_path(s, n);
	for (size_t x = 0; x < n; x++) {
		unsigned state = s->from[x * SH_CPP_STATES];

		if (state != SH_CPP_E && state != SH_CPP_S)
			continue;
		if (add_word_and_inner(s, left, i + x + 1, err) < 0)
			return -1;
		left = i + x + 1;
	}
	return 0;
}

static bool is_digit(uint32_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(uint32_t c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Returns the end of the ASCII word that begins at i: letters and digits, or one other character.
 */
static size_t ascii_end(const struct sh_cppsegmenter *s, size_t i, size_t end)
{
	size_t j = i + 1;

	if (!is_alnum(s->c[i]))
		return j;
	while (j < end && is_alnum(s->c[j]))
		j++;
	/* A point is part of the word when a digit follows. */
	if (j + 1 < end && s->c[j] == '.' && is_digit(s->c[j + 1]))
		for (j++; j < end && is_digit(s->c[j]);)
			j++;
	return j;
}

/* Splits the characters i .. end-1 without the dictionary: ASCII characters into ASCII words, other
 * characters by the model. */
static int cut_without_dict(struct sh_cppsegmenter *s, size_t i, size_t end, struct sh_error *err)
{
	while (i < end) {
		size_t j = i;
		int status;

		if (s->c[i] < 0x80) {
			j = ascii_end(s, i, end);
			status = add_word_and_inner(s, i, j, err);
		} else {
			while (j < end && s->c[j] >= 0x80)
				j++;
			status = cut_by_model(s, i, j, err);
		}
		if (status < 0)
			return -1;
		i = j;
	}
	return 0;
}

/* ---- both ---- */

/* Returns whether the best route has a single character at i that is no word of the user. */
static bool is_single(const struct sh_cppsegmenter *s, size_t i)
{
	const struct sh_cpp_word *word = s->len[i] == 1 ? find_entry(s, i, i + 1) : NULL;

	return s->len[i] == 1 && !(word && word->user);
}

/* Takes the words of the best route. Runs of single characters go to the model, except in mode
 * SH_CPPJIEBA_MIX_NOHMM. */
static int cut_mixed(struct sh_cppsegmenter *s, struct sh_error *err)
{
	bool model = s->mode != SH_CPPJIEBA_MIX_NOHMM;

	if (find_route(s, err) < 0)
		return -1;
	for (size_t i = 0, j; i < s->n; i = j) {
		int status;

		for (j = i; model && j < s->n && is_single(s, j);)
			j++;
		if (j > i) {
			status = cut_without_dict(s, i, j, err);
		} else {
			j = i + s->len[i];
			status = add_word_and_inner(s, i, j, err);
		}
		if (status < 0)
			return -1;
	}
	return 0;
}

/* Appends each word of two or more characters, and each character that no word of two or more
 * covers. cppjieba up to release 5.4 differs: after a character that the dictionary lacks, it may
 * drop single characters. */
static int cut_full(struct sh_cppsegmenter *s, struct sh_error *err)
{
	size_t reached = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct sh_cpp_word *word = find_entry(s, i, i + 1);
		bool single = reached <= i;

		if (single && add_word(s, i, i + 1, err) < 0)
			return -1;
		for (size_t j = i + 2; word && j <= s->n; j++) {
			word = find_entry(s, i, j);
			if (!word || !word->is_word)
				continue;
			s->n_words -= single; /* the longer word covers the character */
			single = false;
			reached = j > reached ? j : reached;
			if (add_word(s, i, j, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int cut_sentence(struct sh_cppsegmenter *s, struct sh_error *err)
{
	switch (s->mode) {
	case SH_CPPJIEBA_FULL:
		return cut_full(s, err);
	case SH_CPPJIEBA_HMM:
		return cut_without_dict(s, 0, s->n, err);
	default:
		return cut_mixed(s, err);
	}
}

/* cppjieba's separators of sentences; U+FF0C is the fullwidth comma, U+3002 the ideographic full
 * stop. */
static bool is_separator(uint32_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == 0xFF0C || c == 0x3002;
}

/* Reads the next sentence: the characters up to a separator, or the separator itself. Moves *p
 * behind the sentence. */
static int read_sentence(
    struct sh_cppsegmenter *s, const uint8_t **p, const uint8_t *end, struct sh_error *err)
{
	const uint8_t *start = (const uint8_t *)s->text;
	bool separator = false;

	s->n = 0;
	if (ROOM(at, 2) < 0)
		return -1;
	s->at[0] = (size_t)(*p - start);
	while (*p < end && !separator) {
		const uint8_t *next = *p;
		uint32_t c = sh_utf8_next(&next, end);

		separator = is_separator(c);
		if (separator && s->n > 0)
			return 0;
		*p = next;
		if (ROOM(c, s->n + 1) < 0 || ROOM(at, s->n + 2) < 0)
			return -1;
		s->c[s->n++] = c;
		s->at[s->n] = (size_t)(next - start);
	}
	return 0;
}

int sh_cppsegment(struct sh_cppsegmenter *s, enum sh_cppjieba_mode mode, struct sh_slice text,
    const struct sh_slice **words, size_t *n, struct sh_error *err)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;

	s->mode = mode;
	s->text = text.p;
	s->n_words = 0;
	while (p < end)
		if (read_sentence(s, &p, end, err) < 0 || cut_sentence(s, err) < 0)
			return -1;
	*words = s->words;
	*n = s->n_words;
	return 0;
}
