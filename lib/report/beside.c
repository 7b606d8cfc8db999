/* SPDX-License-Identifier: MIT */
#include "report/beside.h"

#include <stdlib.h>

#include "unicode/utf8.h"

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

	sh_html_raw(h, "<p class=\"gap\">");
	sh_html_count(h, characters(text));
	sh_html_raw(h, " characters alike</p>");
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
	if (more) {
		sh_html_raw(h, "<p class=\"gap\">");
		sh_html_count(h, more);
		sh_html_raw(h, " bytes more are not shown</p>\n");
	}
}
