/* SPDX-License-Identifier: MIT */
#include "report/beside.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "unicode/script.h"
#include "unicode/utf8.h"

/* ---- words that differ ---- */

enum { NOWHERE = -1 };

int sh_diff_init(struct sh_diff *d, struct sh_error *err)
{
	*d = (struct sh_diff){ 0 };
	return sh_hmap_init(&d->words, err);
}

void sh_diff_free(struct sh_diff *d)
{
	for (int i = 0; i < 2; i++)
		free(d->side[i].word);
	free(d->reach);
	free(d->trace);
	sh_hmap_free(&d->words);
}

/* ---- words ---- */

enum word_kind { BLANK, LETTER, SINGLE };

static enum word_kind kind_of(uint32_t c)
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
static const uint8_t *pass(const uint8_t *p, const uint8_t *end, enum word_kind kind)
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
	struct sh_diff_word *w;

	if (SH_RESERVE(s->word, s->cap, s->n + 2, err) < 0)
		return -1;
	w = &s->word[s->n++];
	*w = (struct sh_diff_word){ .start = (uint32_t)from, .end = (uint32_t)to };
	w[1].start = (uint32_t)next;
	return sh_hmap_put(&d->words, sh_slice(s->text.p + from, to - from), &w->number, NULL, err);
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
	struct sh_diff_word *x, *y;
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
	while (x < mid->n && x - k < mid->m && mid->x[x].number == mid->y[x - k].number)
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
static void mark(struct sh_diff *d, const struct middle *mid, int32_t edits, int32_t k)
{
	int32_t *reach = d->reach + SH_DIFF_EDITS + 1;
	int32_t x = traced(d, edits)[(k + edits) / 2];

	for (int32_t i = x; i < mid->n; i++)
		mid->x[i].differs = true;
	for (int32_t i = x - k; i < mid->m; i++)
		mid->y[i].differs = true;
	for (; edits > 0; edits--) {
		bool down;

		for (int32_t i = -(edits - 1); i <= edits - 1; i += 2)
			reach[i] = traced(d, edits - 1)[(i + edits - 1) / 2];
		x = step(mid, reach, edits, k, &down);
		if (down) {
			mid->y[x - k - 1].differs = true;
			k++;
		} else {
			mid->x[x - 1].differs = true;
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
	while (from < n && from < m && a->word[from].number == b->word[from].number)
		from++;
	while (n > from && m > from && a->word[n - 1].number == b->word[m - 1].number)
		n--, m--;
	if (n == from && m == from)
		return 0;
	mid = (struct middle){ a->word + from, b->word + from, (int32_t)(n - from),
		(int32_t)(m - from) };
	edits = search(d, &mid, &k);
	mark(d, &mid, edits, k);
	return 0;
}

/* ---- two texts side by side ---- */

/* AROUND: common words shown on both sides of a gap. GAP: least number of words that a gap
 * replaces. */
enum { AROUND = 24, GAP = 24 };

static struct sh_slice words(const struct sh_diff_side *s, size_t from, size_t to)
{
	size_t at = from < to ? s->word[from].start : 0;

	return sh_slice(s->text.p + at, from < to ? s->word[to].start - at : 0);
}

static void add_context(struct sh_html *h, struct sh_slice text)
{
	if (text.n == 0)
		return;
	sh_html_raw(h, "<span class=\"around\">");
	sh_html_text(h, text);
	sh_html_raw(h, "</span>");
}

/* Adds the words from .. to-1 of a side, with the text before and behind it. */
static void add_cell(struct sh_html *h, const struct sh_diff_side *s,
    const struct sh_beside_text *t, size_t from, size_t to)
{
	sh_html_format(h, "<div class=\"cell\"%s>", sh_html_lang(s->text));
	if (from == 0)
		add_context(h, t->before);
	for (size_t end; from < to; from = end) {
		struct sh_slice run;
		size_t marked;

		for (end = from + 1; end < to && s->word[end].differs == s->word[from].differs;)
			end++;
		run = words(s, from, end);
		marked = s->word[from].differs ? s->word[end - 1].end - s->word[from].start : 0;
		if (marked) {
			sh_html_raw(h, "<mark>");
			sh_html_text(h, sh_slice(run.p, marked));
			sh_html_raw(h, "</mark>");
		}
		sh_html_text(h, sh_slice(run.p + marked, run.n - marked));
	}
	if (to == s->n)
		add_context(h, t->behind);
	sh_html_raw(h, "</div>\n");
}

static uint64_t characters(struct sh_slice text)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += !sh_utf8_is_tail((uint8_t)text.p[i]);
	return n;
}

static struct sh_slice clip(struct sh_slice text, size_t *more)
{
	size_t n = text.n <= SH_BESIDE_BYTES ? text.n : sh_utf8_start(text, SH_BESIDE_BYTES);

	*more += text.n - n;
	return sh_slice(text.p, n);
}

/* Returns the number of words from at[] on that both sides have in common. */
static size_t alike(const struct sh_diff *d, const size_t at[2])
{
	const struct sh_diff_side *x = &d->side[0], *y = &d->side[1];
	size_t n = 0;

	while (at[0] + n < x->n && at[1] + n < y->n && !x->word[at[0] + n].differs &&
	       !y->word[at[1] + n].differs)
		n++;
	return n;
}

/* Moves at[] to the end of a row: the end of both sides, or the beginning of a gap. goes_on: text
 * is shown behind the two texts. Returns the number of words in the gap. */
static size_t pass_row(const struct sh_diff *d, size_t at[2], bool goes_on)
{
	const struct sh_diff_side *s = d->side;

	while (at[0] < s[0].n || at[1] < s[1].n) {
		size_t n = alike(d, at), tail = AROUND;

		if (at[0] + n == s[0].n && at[1] + n == s[1].n && !goes_on)
			tail = 0;
		if (n >= AROUND + GAP + tail) {
			at[0] += AROUND;
			at[1] += AROUND;
			return n - AROUND - tail;
		}
		for (int i = 0; i < 2; i++)
			for (at[i] += n; at[i] < s[i].n && s[i].word[at[i]].differs;)
				at[i]++;
	}
	return 0;
}

void sh_beside_add(struct sh_html *h, struct sh_diff *d, const struct sh_beside_text *x,
    const struct sh_beside_text *y)
{
	bool goes_on = x->behind.n || y->behind.n;
	size_t more = 0, from[2] = { 0, 0 }, to[2] = { 0, 0 }, gap;
	char number[SH_HTML_COUNT];

	if (h->failed)
		return;
	if (sh_diff_texts(d, clip(x->text, &more), clip(y->text, &more), &h->err) < 0) {
		h->failed = true;
		return;
	}
	do {
		gap = pass_row(d, to, goes_on);
		sh_html_raw(h, "<div class=\"row\">");
		add_cell(h, &d->side[0], x, from[0], to[0]);
		add_cell(h, &d->side[1], y, from[1], to[1]);
		sh_html_raw(h, "</div>\n");
		from[0] = to[0] + gap;
		from[1] = to[1] + gap;
		if (gap)
			sh_html_format(h, "<p class=\"gap\">%s characters alike</p>",
			    sh_html_count(number, characters(words(&d->side[0], to[0], from[0]))));
		to[0] = from[0];
		to[1] = from[1];
	} while (gap && (to[0] < d->side[0].n || to[1] < d->side[1].n));
	if (more)
		sh_html_format(h, "<p class=\"gap\">%s bytes more are not shown</p>\n",
		    sh_html_count(number, more));
}
