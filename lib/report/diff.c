/* SPDX-License-Identifier: MIT */
#include "report/diff.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "unicode/script.h"
#include "unicode/utf8.h"

enum { NOWHERE = -1 };

int sh_diff_init(struct sh_diff *d, struct sh_error *err)
{
	*d = (struct sh_diff){ 0 };
	return sh_hmap_init(&d->words, err);
}

void sh_diff_free(struct sh_diff *d)
{
	for (int i = 0; i < 2; i++) {
		free(d->side[i].start);
		free(d->side[i].end);
		free(d->side[i].word);
		free(d->side[i].differs);
	}
	free(d->reach);
	free(d->trace);
	sh_hmap_free(&d->words);
}

/* ---- words ---- */

enum kind { BLANK, LETTER, SINGLE };

static enum kind kind_of(uint32_t c)
{
	utf8proc_category_t category;

	if (c < 0x80) {
		if (c == ' ' || (c >= '\t' && c <= '\r'))
			return BLANK;
		return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ? LETTER
										      : SINGLE;
	}
	if (c >= SH_UTF8_ILL || sh_script_is_cut(sh_script_of(c)))
		return SINGLE;
	category = utf8proc_category((utf8proc_int32_t)c);
	if (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP)
		return BLANK;
	return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO ? LETTER
										    : SINGLE;
}

/* Returns the end of the characters of this kind from p on. */
static const uint8_t *pass(const uint8_t *p, const uint8_t *end, enum kind kind)
{
	while (p < end) {
		const uint8_t *next = p;

		if (kind_of(sh_utf8_next(&next, end)) != kind)
			break;
		p = next;
	}
	return p;
}

static int add_word(struct sh_diff *d, struct sh_diff_side *s, size_t from, size_t to, size_t next,
    struct sh_error *err)
{
	size_t n = s->n, want = n + 2;
	uint32_t word;

	if (SH_RESERVE(s->start, s->start_cap, want, err) < 0 ||
	    SH_RESERVE(s->end, s->end_cap, want, err) < 0 ||
	    SH_RESERVE(s->word, s->word_cap, want, err) < 0 ||
	    SH_RESERVE(s->differs, s->differs_cap, want, err) < 0 ||
	    sh_hmap_put(&d->words, sh_slice(s->text.p + from, to - from), &word, NULL, err) < 0)
		return -1;
	s->start[n] = (uint32_t)from;
	s->start[n + 1] = (uint32_t)next;
	s->end[n] = (uint32_t)to;
	s->word[n] = word;
	s->differs[n] = false;
	s->n++;
	return 0;
}

static int split(
    struct sh_diff *d, struct sh_diff_side *s, struct sh_slice text, struct sh_error *err)
{
	const uint8_t *begin = (const uint8_t *)text.p, *p = begin, *end = p + text.n;

	s->text = text;
	s->n = 0;
	while (p < end) {
		const uint8_t *from = p, *to = pass(p, end, BLANK);

		if (to == p) {
			to = pass(p, end, LETTER);
			if (to == p)
				sh_utf8_next(&to, end);
		} else {
			to = p; /* blanks at the beginning of the text: an empty word */
		}
		p = pass(to, end, BLANK);
		if (add_word(d, s, (size_t)(from - begin), (size_t)(to - begin),
			(size_t)(p - begin), err) < 0)
			return -1;
	}
	return 0;
}

/* ---- the shortest list of edits ---- */

/* The words between the common beginning and end of both sides. */
struct middle {
	const uint32_t *x, *y;
	int32_t n, m;
};

/* Returns the furthest x on diagonal k after one more edit, and in *down whether that edit skips a
 * word of y. reach[k - 1] and reach[k + 1] are the places before the edit. */
static int32_t step(
    const struct middle *mid, const int32_t *reach, int32_t edits, int32_t k, bool *down)
{
	int32_t skip_y = k < edits ? reach[k + 1] : NOWHERE;
	int32_t skip_x = k > -edits && reach[k - 1] != NOWHERE ? reach[k - 1] + 1 : NOWHERE;

	if (skip_y - k > mid->m)
		skip_y = NOWHERE;
	if (skip_x > mid->n)
		skip_x = NOWHERE;
	*down = skip_y >= skip_x;
	return *down ? skip_y : skip_x;
}

static int32_t slide(const struct middle *mid, int32_t x, int32_t k)
{
	while (x < mid->n && x - k < mid->m && mid->x[x] == mid->y[x - k])
		x++;
	return x;
}

/* The places of diagonals -edits, -edits + 2, ... edits. */
static int32_t *traced(const struct sh_diff *d, int32_t edits)
{
	return d->trace + (size_t)edits * ((size_t)edits + 1) / 2;
}

/* Fills the trace up to the number of edits, which it returns. Sets *best to the diagonal of the
 * furthest place then. */
static int32_t search(struct sh_diff *d, const struct middle *mid, int32_t *best)
{
	int32_t *reach = d->reach + SH_DIFF_EDITS + 1;

	for (int32_t edits = 0;; edits++) {
		int32_t far = NOWHERE;

		for (int32_t k = -edits; k <= edits; k += 2) {
			bool down;
			int32_t x = edits ? step(mid, reach, edits, k, &down) : 0;

			if (x != NOWHERE)
				x = slide(mid, x, k);
			reach[k] = traced(d, edits)[(k + edits) / 2] = x;
			if (x != NOWHERE && 2 * x - k > far) {
				far = 2 * x - k;
				*best = k;
			}
		}
		if (far == mid->n + mid->m || edits == SH_DIFF_EDITS)
			return edits;
	}
}

/* Marks the words that the edits skip, from the last edit to the first. */
static void mark(
    struct sh_diff *d, const struct middle *mid, int32_t edits, int32_t k, bool *in_x, bool *in_y)
{
	int32_t *reach = d->reach + SH_DIFF_EDITS + 1;
	int32_t x = traced(d, edits)[(k + edits) / 2];

	memset(in_x + x, true, (size_t)(mid->n - x));
	memset(in_y + x - k, true, (size_t)(mid->m - (x - k)));
	for (; edits > 0; edits--) {
		bool down;

		for (int32_t i = -(edits - 1); i <= edits - 1; i += 2)
			reach[i] = traced(d, edits - 1)[(i + edits - 1) / 2];
		x = step(mid, reach, edits, k, &down);
		if (down) {
			in_y[x - k - 1] = true;
			k++;
		} else {
			in_x[x - 1] = true;
			k--;
		}
	}
}

static int make_room(struct sh_diff *d, struct sh_error *err)
{
	size_t diagonals = 2 * SH_DIFF_EDITS + 3;
	size_t places = (size_t)(SH_DIFF_EDITS + 1) * (SH_DIFF_EDITS + 2) / 2;

	if (SH_RESERVE(d->reach, d->reach_cap, diagonals, err) < 0)
		return -1;
	return SH_RESERVE(d->trace, d->trace_cap, places, err);
}

int sh_diff_texts(struct sh_diff *d, struct sh_slice x, struct sh_slice y, struct sh_error *err)
{
	struct sh_diff_side *a = &d->side[0], *b = &d->side[1];
	size_t from = 0, n, m;
	struct middle mid;
	int32_t edits, k = 0;

	sh_hmap_clear(&d->words);
	if (split(d, a, x, err) < 0 || split(d, b, y, err) < 0 || make_room(d, err) < 0)
		return -1;
	n = a->n;
	m = b->n;
	while (from < n && from < m && a->word[from] == b->word[from])
		from++;
	while (n > from && m > from && a->word[n - 1] == b->word[m - 1])
		n--, m--;
	if (n == from && m == from)
		return 0;
	mid = (struct middle){ a->word + from, b->word + from, (int32_t)(n - from),
		(int32_t)(m - from) };
	edits = search(d, &mid, &k);
	mark(d, &mid, edits, k, a->differs + from, b->differs + from);
	return 0;
}
