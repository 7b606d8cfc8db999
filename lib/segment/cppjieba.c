#include "segment/cppjieba.h"

#include <stdlib.h>

#include "base/buf.h"
#include "segment/cppjieba_dict.h"
#include "unicode/utf8.h"

struct sh_cppsegmenter {
	const struct sh_cppjieba *dict;
	enum sh_cppjieba_mode mode;
	const char *text;
	uint32_t *rune; /* characters of the sentence */
	size_t *at;     /* byte offset in the text of each character, and the end of the last */
	size_t n, rune_cap, at_cap;

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
	free(s->rune);
	free(s->at);
	free(s->best);
	free(s->len);
	free(s->v);
	free(s->from);
	free(s->words);
	free(s);
}

static int room(void *array, size_t *cap, size_t n, size_t size, struct sh_error *err)
{
	return n > *cap ? sh_grow(array, cap, n, size, err) : 0;
}

/* Appends the word of characters i .. j-1. */
static int give(struct sh_cppsegmenter *s, size_t i, size_t j, struct sh_error *err)
{
	if (room(&s->words, &s->words_cap, s->n_words + 1, sizeof *s->words, err) < 0)
		return -1;
	s->words[s->n_words++] = sh_slice(s->text + s->at[i], s->at[j] - s->at[i]);
	return 0;
}

static const struct sh_cpp_word *find_word(const struct sh_cppsegmenter *s, size_t i, size_t j)
{
	uint32_t index;

	if (!sh_hmap_find(
		&s->dict->keys, sh_slice(s->text + s->at[i], s->at[j] - s->at[i]), &index))
		return NULL;
	return &s->dict->word[index];
}

/* Appends the word of characters i .. j-1. SH_CPPJIEBA_QUERY: appends its inner words first. */
static int give_word(struct sh_cppsegmenter *s, size_t i, size_t j, struct sh_error *err)
{
	for (size_t n = 2; s->mode == SH_CPPJIEBA_QUERY && n <= 3 && n < j - i; n++) {
		for (size_t at = i; at + n <= j; at++) {
			const struct sh_cpp_word *word = find_word(s, at, at + n);

			if (word && word->is_word && give(s, at, at + n, err) < 0)
				return -1;
		}
	}
	return give(s, i, j, err);
}

/* ---- the dictionary ---- */

/* Computes the best route from right to left. On a tie the shortest word is chosen. */
static int find_route(struct sh_cppsegmenter *s, struct sh_error *err)
{
	const struct sh_cppjieba *d = s->dict;

	if (room(&s->best, &s->best_cap, s->n + 1, sizeof *s->best, err) < 0 ||
	    room(&s->len, &s->len_cap, s->n + 1, sizeof *s->len, err) < 0)
		return -1;
	s->best[s->n] = 0;
	for (size_t i = s->n; i-- > 0;) {
		s->best[i] = SH_CPP_NEVER;
		s->len[i] = 1;
		for (size_t j = i + 1; j <= s->n; j++) {
			struct sh_slice key = sh_slice(s->text + s->at[i], s->at[j] - s->at[i]);
			uint32_t index;
			bool found = sh_hmap_find(&d->keys, key, &index), is_word;
			double sum;

			if (!found && j > i + 1)
				break;
			is_word = found && d->word[index].is_word;
			if (is_word || j == i + 1) {
				sum = 0.0 + s->best[j];
				sum += is_word ? d->word[index].weight : d->least;
				if (sum > s->best[i]) {
					s->best[i] = sum;
					s->len[i] = j - i;
				}
			}
			if (!found)
				break;
		}
	}
	return 0;
}

static bool is_user_char(const struct sh_cppsegmenter *s, size_t i)
{
	const struct sh_cpp_word *word = find_word(s, i, i + 1);

	return word && word->user;
}

/* ---- the model ---- */

static double emit(const struct sh_cppjieba *d, uint32_t c, unsigned state)
{
	uint32_t row = d->emit_row[c];

	return row ? d->emit[row - 1][state] : SH_CPP_NEVER;
}

/* Splits the characters i .. end-1. None of them is ASCII. */
static int cut_by_model(struct sh_cppsegmenter *s, size_t i, size_t end, struct sh_error *err)
{
	const struct sh_cppjieba *d = s->dict;
	size_t n = end - i, left = i;
	unsigned state;
	double *v;
	uint8_t *from;

	if (room(&s->v, &s->v_cap, n * SH_CPP_STATES, sizeof *s->v, err) < 0 ||
	    room(&s->from, &s->from_cap, n * SH_CPP_STATES, 1, err) < 0)
		return -1;
	v = s->v;
	from = s->from;
	for (unsigned y = 0; y < SH_CPP_STATES; y++)
		v[y] = d->start[y] + emit(d, s->rune[i], y);
	for (size_t x = 1; x < n; x++) {
		const double *before = v + (x - 1) * SH_CPP_STATES;

		for (unsigned y = 0; y < SH_CPP_STATES; y++) {
			double best = SH_CPP_NEVER, e = emit(d, s->rune[i + x], y);
			unsigned best_from = SH_CPP_E;

			for (unsigned z = 0; z < SH_CPP_STATES; z++) {
				double p = before[z] + d->trans[z][y] + e;

				if (p > best) {
					best = p;
					best_from = z;
				}
			}
			v[x * SH_CPP_STATES + y] = best;
			from[x * SH_CPP_STATES + y] = (uint8_t)best_from;
		}
	}
	v += (n - 1) * SH_CPP_STATES;
	state = v[SH_CPP_E] >= v[SH_CPP_S] ? SH_CPP_E : SH_CPP_S;
	/* Follow the predecessors. from[x * SH_CPP_STATES] becomes the state of character x. */
	for (size_t x = n; x-- > 0;) {
		unsigned now = state;

		state = x ? from[x * SH_CPP_STATES + now] : 0;
		from[x * SH_CPP_STATES] = (uint8_t)now;
	}
	for (size_t x = 0; x < n; x++) {
		if (from[x * SH_CPP_STATES] % 2 == 0)
			continue;
		if (give_word(s, left, i + x + 1, err) < 0)
			return -1;
		left = i + x + 1;
	}
	return 0;
}

static bool is_digit(uint32_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(uint32_t c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Returns the end of the ASCII word that begins at i. */
static size_t ascii_end(const struct sh_cppsegmenter *s, size_t i, size_t end)
{
	size_t j = i + 1;

	if (!is_letter(s->rune[i]) && !is_digit(s->rune[i]))
		return j;
	while (j < end && (is_letter(s->rune[j]) || is_digit(s->rune[j])))
		j++;
	/* A point is part of the word when a digit follows. */
	if (j + 1 < end && s->rune[j] == '.' && is_digit(s->rune[j + 1]))
		for (j++; j < end && is_digit(s->rune[j]);)
			j++;
	return j;
}

static int cut_singles(struct sh_cppsegmenter *s, size_t i, size_t end, struct sh_error *err)
{
	while (i < end) {
		size_t j = i;
		int status;

		if (s->rune[i] < 0x80) {
			j = ascii_end(s, i, end);
			status = give_word(s, i, j, err);
		} else {
			while (j < end && s->rune[j] >= 0x80)
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

static bool is_single(const struct sh_cppsegmenter *s, size_t i)
{
	return s->len[i] == 1 && !is_user_char(s, i);
}

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
			status = cut_singles(s, i, j, err);
		} else {
			j = i + s->len[i];
			status = give_word(s, i, j, err);
		}
		if (status < 0)
			return -1;
	}
	return 0;
}

/* Returns whether a word of two or more characters begins at i. */
static bool begins_word(const struct sh_cppsegmenter *s, size_t i)
{
	const struct sh_cpp_word *word = find_word(s, i, i + 1);

	for (size_t j = i + 2; word && j <= s->n; j++) {
		word = find_word(s, i, j);
		if (word && word->is_word)
			return true;
	}
	return false;
}

/* Appends each word of two or more characters, and each character that no word of two or more
 * covers. cppjieba up to release 5.4 differs: after a character that the dictionary lacks, it may
 * drop single characters. */
static int cut_full(struct sh_cppsegmenter *s, struct sh_error *err)
{
	size_t reached = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct sh_cpp_word *word = find_word(s, i, i + 1);

		if (reached <= i && !begins_word(s, i) && give(s, i, i + 1, err) < 0)
			return -1;
		for (size_t j = i + 2; word && j <= s->n; j++) {
			word = find_word(s, i, j);
			if (!word || !word->is_word)
				continue;
			reached = j > reached ? j : reached;
			if (give(s, i, j, err) < 0)
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
		return cut_singles(s, 0, s->n, err);
	default:
		return cut_mixed(s, err);
	}
}

static bool is_separator(uint32_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == 0xFF0C || c == 0x3002;
}

static int add_rune(struct sh_cppsegmenter *s, uint32_t c, size_t end, struct sh_error *err)
{
	if (room(&s->rune, &s->rune_cap, s->n + 1, sizeof *s->rune, err) < 0 ||
	    room(&s->at, &s->at_cap, s->n + 2, sizeof *s->at, err) < 0)
		return -1;
	s->rune[s->n++] = c;
	s->at[s->n] = end;
	return 0;
}

int sh_cppsegment(struct sh_cppsegmenter *s, enum sh_cppjieba_mode mode, struct sh_slice text,
    const struct sh_slice **words, size_t *n, struct sh_error *err)
{
	const uint8_t *start = (const uint8_t *)text.p, *p = start, *end = start + text.n;

	s->mode = mode;
	s->text = text.p;
	s->n_words = 0;
	while (p < end) {
		/* A sentence is the characters up to a separator, or the separator itself. */
		s->n = 0;
		if (room(&s->at, &s->at_cap, 2, sizeof *s->at, err) < 0)
			return -1;
		s->at[0] = (size_t)(p - start);
		while (p < end) {
			const uint8_t *from = p;
			uint32_t c = sh_utf8_next(&p, end);
			bool separator = is_separator(c);

			if (separator && s->n > 0) {
				p = from;
				break;
			}
			if (add_rune(s, c, (size_t)(p - start), err) < 0)
				return -1;
			if (separator)
				break;
		}
		if (cut_sentence(s, err) < 0)
			return -1;
	}
	*words = s->words;
	*n = s->n_words;
	return 0;
}
