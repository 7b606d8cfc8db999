/* SPDX-License-Identifier: MIT */
#include "passage/sentences.h"

#include <stdlib.h>
#include <xxhash.h>

#include "record/escape.h"

int sh_splitter_init(
    struct sh_splitter *s, const struct sh_sentence_opts *opts, struct sh_error *err)
{
	*s = (struct sh_splitter){ .opts = opts, .fold = sh_fold_new(err) };
	return s->fold ? 0 : -1;
}

void sh_splitter_free(struct sh_splitter *s)
{
	sh_fold_delete(s->fold);
	sh_buf_free(&s->plain);
	sh_buf_free(&s->folded);
	free(s->at);
	free(s->end);
}

/* ---- characters ---- */

/* Returns the character at *p, and moves *p behind it. An escape is the character that it stands
 * for. */
static uint32_t next(const struct sh_splitter *s, const uint8_t **p, const uint8_t *end)
{
	bool escape = **p == '\\' && end - *p > 1 && !s->opts->raw;
	char c = escape ? sh_unescaped((char)(*p)[1]) : '\0';

	if (!c)
		return sh_utf8_next(p, end);
	*p += 2;
	return (uint32_t)c;
}

static bool is_space(uint32_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xA0 || c == 0x3000 ||
	       (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029;
}

/* Ends a sentence where white space follows. */
static bool may_end(uint32_t c)
{
	return c == '.' || c == '!' || c == '?' || c == 0x2026;
}

/* Ends a sentence wherever it stands: Chinese, Arabic, Urdu, Devanagari, Armenian, Ethiopic,
 * Burmese, Khmer and Tibetan. */
static bool surely_ends(uint32_t c)
{
	static const uint32_t ends[] = { 0x3002, 0xFF01, 0xFF1F, 0xFF61, 0x61F, 0x6D4, 0x964, 0x965,
		0x589, 0x1362, 0x1367, 0x104A, 0x104B, 0x17D4, 0x17D5, 0xF0D, 0xF0E };

	for (size_t i = 0; c > 0x7F && i < sizeof ends / sizeof *ends; i++)
		if (ends[i] == c)
			return true;
	return false;
}

/* May follow the end of a sentence as a part of it. */
static bool closes(uint32_t c)
{
	static const uint32_t closers[] = { '"', '\'', ')', ']', '}', 0x201D, 0x2019, 0xBB, 0x203A,
		0x300D, 0x300F, 0xFF09, 0x3011, 0x300B, 0x3009, 0xFF3D, 0xFF5D, 0xFF02, 0xFF07,
		0x3015, 0x3017 };

	for (size_t i = 0; i < sizeof closers / sizeof *closers; i++)
		if (closers[i] == c)
			return true;
	return false;
}

/* ---- borders ---- */

/* Moves *p behind white space. Returns the number of line ends in it. */
static unsigned skip_space(const struct sh_splitter *s, const uint8_t **p, const uint8_t *end)
{
	unsigned lines = 0;

	while (*p < end) {
		const uint8_t *at = *p;
		uint32_t c = next(s, &at, end);

		if (!is_space(c))
			break;
		lines += c == '\n';
		*p = at;
	}
	return lines;
}

/* Returns the end of the line at p. Sets *behind to the beginning of the next line. */
static const uint8_t *end_of_line(
    const struct sh_splitter *s, const uint8_t *p, const uint8_t *end, const uint8_t **behind)
{
	const uint8_t *cr = NULL; /* the last character, when it is a carriage return */

	while (p < end) {
		const uint8_t *at = p;
		uint32_t c = next(s, &p, end);

		if (c == '\n') {
			*behind = p;
			return cr ? cr : at;
		}
		cr = c == '\r' ? at : NULL;
	}
	*behind = end;
	return end;
}

/* Returns the end of the sentence at p. Sets *behind to the beginning of the next one. */
static const uint8_t *end_of_sentence(
    const struct sh_splitter *s, const uint8_t *p, const uint8_t *end, const uint8_t **behind)
{
	bool ended = false, surely = false;

	while (p < end) {
		const uint8_t *at = p;
		uint32_t c = next(s, &p, end);

		if (is_space(c)) {
			p = at;
			if (skip_space(s, &p, end) > 1 || ended || p == end) {
				*behind = p;
				return at;
			}
			ended = false;
		} else if (may_end(c) || surely_ends(c)) {
			surely = surely_ends(c) || (ended && surely);
			ended = true;
		} else if (ended && !closes(c)) {
			if (surely) {
				*behind = at;
				return at;
			}
			ended = false;
		}
	}
	*behind = end;
	return end;
}

/* ---- comparison ---- */

/* Removes blanks at the ends, and all but one of several blanks. */
static void squeeze(struct sh_buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->p[i] != ' ' || (n && b->p[n - 1] != ' '))
			b->p[n++] = b->p[i];
	b->n = n && b->p[n - 1] == ' ' ? n - 1 : n;
}

static uint32_t count_tokens(struct sh_fold *f, struct sh_slice text)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = text.n ? p + text.n : p;
	uint32_t n = 0;
	bool word = false;

	while (p < end) {
		unsigned class = sh_cell_class(sh_fold_cell(f, sh_utf8_next(&p, end)));
		unsigned kind = class & SH_CLASS_KIND;

		n += kind == SH_CLASS_CUT || (kind == SH_CLASS_WORD && !word);
		word = kind == SH_CLASS_WORD;
	}
	return n;
}

/* Computes tokens and hash of a sentence. */
static int weigh(
    struct sh_splitter *s, struct sh_slice text, struct sh_sentence *out, struct sh_error *err)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = text.n ? p + text.n : p;
	struct sh_buf *plain = &s->plain, *folded = &s->folded;
	XXH128_hash_t hash;

	plain->n = folded->n = 0;
	/* A character has at most as many bytes as its escape. An ill-formed byte becomes three. */
	if (sh_buf_reserve(plain, 3 * text.n + 4, err) < 0)
		return -1;
	while (p < end) {
		uint32_t c = next(s, &p, end);

		s->ill_formed += c == SH_UTF8_ILL;
		c = c == SH_UTF8_ILL ? SH_UTF8_REPLACEMENT : is_space(c) ? ' ' : c;
		plain->n += sh_utf8_put((uint8_t *)plain->p + plain->n, c);
	}
	if (!s->opts->no_fold) {
		uint64_t none = 0;

		if (sh_fold_text(s->fold, sh_buf_slice(plain), folded, &none, err) < 0)
			return -1;
		plain = folded;
	}
	squeeze(plain);
	out->tokens = count_tokens(s->fold, sh_buf_slice(plain));
	hash = XXH3_128bits(plain->p, plain->n);
	out->hash[0] = hash.low64;
	out->hash[1] = hash.high64;
	return 0;
}

int sh_splitter_add(struct sh_splitter *s, struct sh_slice text, struct sh_error *err)
{
	const uint8_t *begin = (const uint8_t *)text.p, *p = begin,
		      *end = text.n ? begin + text.n : begin;

	if (text.n > INT32_MAX)
		return sh_error_set(
		    err, SH_ERR_PARAM, "a text of %zu bytes, more than 2^31-1", text.n);
	while (p < end) {
		const uint8_t *behind;
		const uint8_t *to = s->opts->lines ? end_of_line(s, p, end, &behind)
						   : end_of_sentence(s, p, end, &behind);
		struct sh_sentence *x;

		if (SH_RESERVE(s->at, s->cap, s->n + 1, err) < 0)
			return -1;
		x = &s->at[s->n++];
		*x = (struct sh_sentence){ .from = (uint32_t)(p - begin),
			.to = (uint32_t)(to - begin),
			.next = (uint32_t)(behind - begin) };
		if (weigh(s, sh_slice(text.p + x->from, x->to - x->from), x, err) < 0)
			return -1;
		p = behind;
	}
	if (SH_RESERVE(s->end, s->end_cap, s->texts + 1, err) < 0)
		return -1;
	s->end[s->texts++] = s->n;
	return 0;
}

struct sh_sentence *sh_splitter_text(const struct sh_splitter *s, size_t i, size_t *n)
{
	size_t from = i ? s->end[i - 1] : 0;

	*n = s->end[i] - from;
	return *n ? s->at + from : NULL;
}

/* ---- runs ---- */

int sh_run_counts_init(
    struct sh_run_counts *c, const struct sh_sentence_opts *opts, struct sh_error *err)
{
	*c = (struct sh_run_counts){ .opts = opts };
	return sh_hmap_init(&c->runs, err);
}

void sh_run_counts_free(struct sh_run_counts *c)
{
	sh_hmap_free(&c->runs);
	free(c->count);
}

/* Finds the next run, from sentence *first on. Sets *first and *last to its first and last
 * sentence, and key to its hash. Returns false when the text has no further run of enough words. */
static bool next_run(const struct sh_sentence_opts *opts, const struct sh_sentence *s, size_t n,
    size_t *first, size_t *last, uint64_t key[2])
{
	for (; *first < n; ++*first) {
		uint64_t hashes[SH_SENTENCES_RUN_MAX][2], tokens = 0;
		unsigned found = 0;

		if (s[*first].tokens == 0)
			continue;
		for (size_t i = *first; i < n && found < opts->run; i++) {
			if (s[i].tokens == 0)
				continue;
			tokens += s[i].tokens;
			memcpy(hashes[found++], s[i].hash, sizeof s[i].hash);
			*last = i;
		}
		if (found < opts->run)
			return false;
		if (tokens >= opts->tokens) {
			XXH128_hash_t hash = XXH3_128bits(hashes, found * sizeof *hashes);

			key[0] = hash.low64;
			key[1] = hash.high64;
			return true;
		}
	}
	return false;
}

static void mark(struct sh_sentence *s, size_t first, size_t last, uint32_t documents)
{
	for (size_t i = first; i <= last; i++) {
		if (s[i].min == 0 || documents < s[i].min)
			s[i].min = documents;
		if (documents > s[i].max)
			s[i].max = documents;
	}
}

int sh_count_runs(struct sh_run_counts *c, struct sh_sentence *s, size_t n, uint32_t document,
    struct sh_error *err)
{
	uint64_t key[2];

	for (size_t i = 0, last; next_run(c->opts, s, n, &i, &last, key); i++) {
		struct sh_run_count *x;
		uint32_t index;
		bool fresh;

		if (sh_hmap_put(&c->runs, sh_slice((char *)key, sizeof key), &index, &fresh, err) <
			0 ||
		    SH_RESERVE(c->count, c->cap, (size_t)index + 1, err) < 0)
			return -1;
		x = &c->count[index];
		if (fresh)
			*x = (struct sh_run_count){ 0 };
		else
			mark(s, i, last, x->documents);
		x->documents += fresh || x->last != document;
		x->last = document;
		x->places += x->places < UINT32_MAX;
	}
	return 0;
}

void sh_mark_runs(const struct sh_run_counts *c, struct sh_sentence *s, size_t n,
    uint32_t documents, uint32_t places)
{
	uint64_t key[2];

	for (size_t i = 0, last; next_run(c->opts, s, n, &i, &last, key); i++) {
		const struct sh_run_count *x;
		uint32_t index;

		if (!sh_hmap_find(&c->runs, sh_slice((char *)key, sizeof key), &index))
			continue;
		x = &c->count[index];
		if (x->documents >= documents && x->places >= places)
			mark(s, i, last, x->documents);
	}
}

bool sh_next_passage(const struct sh_sentence *s, size_t n, size_t *i, struct sh_sentence *out)
{
	size_t first;

	while (*i < n && !s[*i].min)
		++*i;
	if (*i == n)
		return false;
	first = *i;
	*out = s[first];
	while (++*i < n && s[*i].min) {
		out->tokens += s[*i].tokens;
		out->min = s[*i].min < out->min ? s[*i].min : out->min;
		out->max = s[*i].max > out->max ? s[*i].max : out->max;
	}
	out->to = s[*i - 1].next;
	if (*i == n && first > 0 && s[n - 1].to == s[n - 1].next)
		out->from = s[first - 1].to;
	return true;
}
