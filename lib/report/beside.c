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

/* ---- two texts side by side ---- */

/* AROUND: common words shown on both sides of a gap. GAP: least number of words that a gap
 * replaces. */
enum { AROUND = 24, GAP = 24 };

enum kind { ALIKE, DIFFERENT, LEFT_OUT };

/* Words from[i] .. to[i] - 1 of side i. */
struct sh_beside_stretch {
	enum kind kind;
	size_t from[2], to[2];
};

void sh_beside_free(struct sh_beside *b)
{
	if (b->ready)
		sh_diff_free(&b->diff);
	free(b->stretch);
}

/* ---- stretches ---- */

static int add(struct sh_beside *b, struct sh_beside_stretch s, struct sh_error *err)
{
	if (SH_RESERVE(b->stretch, b->cap, b->n + 1, err) < 0)
		return -1;
	b->stretch[b->n++] = s;
	return 0;
}

static bool is_alike(const struct sh_diff *d, const size_t at[2])
{
	return at[0] < d->side[0].n && at[1] < d->side[1].n && !d->side[0].differs[at[0]] &&
	       !d->side[1].differs[at[1]];
}

/* Returns the part of a stretch in common from word `from` to word `to`, both counted in the
 * stretch. */
static struct sh_beside_stretch part(
    const struct sh_beside_stretch *s, enum kind kind, size_t from, size_t to)
{
	return (struct sh_beside_stretch){ kind, { s->from[0] + from, s->from[1] + from },
		{ s->from[0] + to, s->from[1] + to } };
}

/* Adds words in common. When there are many, shows only the first ones and the last `tail` ones. */
static int add_alike(
    struct sh_beside *b, const struct sh_beside_stretch *s, size_t tail, struct sh_error *err)
{
	size_t n = s->to[0] - s->from[0];

	if (n < AROUND + GAP + tail)
		return add(b, *s, err);
	if (add(b, part(s, ALIKE, 0, AROUND), err) < 0 ||
	    add(b, part(s, LEFT_OUT, AROUND, n - tail), err) < 0)
		return -1;
	return tail ? add(b, part(s, ALIKE, n - tail, n), err) : 0;
}

/* goes_on: text is shown behind the two texts. */
static int find_stretches(struct sh_beside *b, bool goes_on, struct sh_error *err)
{
	const struct sh_diff *d = &b->diff;
	size_t at[2] = { 0, 0 };

	b->n = 0;
	while (at[0] < d->side[0].n || at[1] < d->side[1].n) {
		struct sh_beside_stretch s = { DIFFERENT, { at[0], at[1] }, { 0, 0 } };
		bool last;

		if (is_alike(d, at)) {
			s.kind = ALIKE;
			while (is_alike(d, at))
				at[0]++, at[1]++;
		} else {
			for (int i = 0; i < 2; i++)
				while (at[i] < d->side[i].n && d->side[i].differs[at[i]])
					at[i]++;
		}
		s.to[0] = at[0];
		s.to[1] = at[1];
		last = at[0] == d->side[0].n && at[1] == d->side[1].n;
		if ((s.kind == ALIKE ? add_alike(b, &s, last && !goes_on ? 0 : AROUND, err)
				     : add(b, s, err)) < 0)
			return -1;
	}
	return 0;
}

/* ---- rows ---- */

static void add_words(struct sh_html *h, const struct sh_diff_side *s, size_t from, size_t to)
{
	if (from < to)
		sh_html_text(
		    h, sh_slice(s->text.p + s->start[from], s->start[to] - s->start[from]));
}

static void add_marked(struct sh_html *h, const struct sh_diff_side *s, size_t from, size_t to)
{
	uint32_t end;

	if (from == to)
		return;
	end = s->end[to - 1];
	sh_html_raw(h, "<mark>");
	sh_html_text(h, sh_slice(s->text.p + s->start[from], end - s->start[from]));
	sh_html_raw(h, "</mark>");
	sh_html_text(h, sh_slice(s->text.p + end, s->start[to] - end));
}

static void add_context(struct sh_html *h, struct sh_slice text)
{
	if (text.n == 0)
		return;
	sh_html_raw(h, "<span class=\"around\">");
	sh_html_text(h, text);
	sh_html_raw(h, "</span>");
}

static void add_cell(struct sh_html *h, const struct sh_beside *b, int side,
    const struct sh_beside_text *t, size_t from, size_t to)
{
	const struct sh_diff_side *s = &b->diff.side[side];

	sh_html_format(h, "<div class=\"cell\"%s>", sh_html_lang(s->text));
	if (from == 0)
		add_context(h, t->before);
	for (size_t i = from; i < to; i++) {
		const struct sh_beside_stretch *x = &b->stretch[i];

		if (x->kind == DIFFERENT)
			add_marked(h, s, x->from[side], x->to[side]);
		else
			add_words(h, s, x->from[side], x->to[side]);
	}
	if (to == b->n)
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

static void add_gap(
    struct sh_html *h, const struct sh_diff_side *s, const struct sh_beside_stretch *x)
{
	struct sh_slice text =
	    sh_slice(s->text.p + s->start[x->from[0]], s->start[x->to[0]] - s->start[x->from[0]]);
	char number[SH_HTML_COUNT];

	sh_html_format(
	    h, "<p class=\"gap\">%s characters alike</p>", sh_html_count(number, characters(text)));
}

static struct sh_slice clip(struct sh_slice text, size_t *more)
{
	size_t n = text.n <= SH_BESIDE_BYTES ? text.n : sh_utf8_start(text, SH_BESIDE_BYTES);

	*more += text.n - n;
	return sh_slice(text.p, n);
}

static int compare(
    struct sh_beside *b, struct sh_slice x, struct sh_slice y, bool goes_on, struct sh_error *err)
{
	if (!b->ready && sh_diff_init(&b->diff, err) < 0)
		return -1;
	b->ready = true;
	return sh_diff_texts(&b->diff, x, y, err) < 0 ? -1 : find_stretches(b, goes_on, err);
}

void sh_beside_add(struct sh_html *h, struct sh_beside *b, const struct sh_beside_text *x,
    const struct sh_beside_text *y)
{
	bool goes_on = x->behind.n || y->behind.n;
	char number[SH_HTML_COUNT];
	size_t more = 0;

	if (h->failed)
		return;
	if (compare(b, clip(x->text, &more), clip(y->text, &more), goes_on, &h->err) < 0) {
		h->failed = true;
		return;
	}
	for (size_t i = 0, from = 0; i <= b->n; i++) {
		bool gap = i < b->n && b->stretch[i].kind == LEFT_OUT;

		if (i < b->n && !gap)
			continue;
		if (i > from || b->n == 0) {
			sh_html_raw(h, "<div class=\"row\">");
			add_cell(h, b, 0, x, from, i);
			add_cell(h, b, 1, y, from, i);
			sh_html_raw(h, "</div>\n");
		}
		if (gap)
			add_gap(h, &b->diff.side[0], &b->stretch[i]);
		from = i + 1;
	}
	if (more)
		sh_html_format(h, "<p class=\"gap\">%s bytes more are not shown</p>\n",
		    sh_html_count(number, more));
}
