/* SPDX-License-Identifier: MIT */
/* The positions of tokens in the text: see sh_token_opts.places. */
#include "record/escape.h"
#include "text/tokenizer.h"

int sh_places_begin(struct sh_tokenizer *t, struct sh_slice text)
{
	t->places.base = (const uint8_t *)text.p;
	t->places.size = text.n;
	t->places.origin = NULL;
	t->places.points = 0;
	t->places.word = t->places.now = (struct sh_place){ 0, 0 };
	return t->method->no_places ? -1 : 0;
}

int sh_places_reserve(struct sh_tokenizer *t, struct sh_error *err)
{
	size_t n = t->start_cap;

	if (SH_RESERVE(t->places.from, t->places.from_cap, n, err) < 0 ||
	    SH_RESERVE(t->places.to, t->places.to_cap, n, err) < 0)
		return -1;
	if (t->opts.unit != SH_UNIT_CHAR)
		return 0;
	return SH_RESERVE(t->places.point, t->places.point_cap, n, err);
}

int sh_places_unescaped(struct sh_tokenizer *t, struct sh_slice text, struct sh_error *err)
{
	const uint32_t *before = t->places.origin; /* when the text is a copy already */
	uint32_t *origin;
	size_t n = 0;

	if (SH_RESERVE(t->places.unescaped, t->places.unescaped_cap, text.n + 1, err) < 0)
		return -1;
	origin = t->places.unescaped;
	for (const char *p = text.p, *end = text.p + text.n; p < end; n++) {
		origin[n] = before ? before[p - text.p] : (uint32_t)(p - text.p);
		p += *p == '\\' && end - p > 1 && sh_unescaped(p[1]) ? 2 : 1;
	}
	origin[n] = before ? before[text.n] : (uint32_t)text.n;
	t->places.origin = origin;
	t->places.base = (const uint8_t *)t->scratch.p;
	t->places.size = t->scratch.n;
	return 0;
}

static uint32_t offset_of(const struct sh_tokenizer *t, const uint8_t *p)
{
	size_t at = (size_t)(p - t->places.base);

	return t->places.origin ? t->places.origin[at] : (uint32_t)at;
}

/* Returns whether p is outside of what the method reads: jieba copies words whose letters are not
 * adjacent. The place of a copied word is the end of the word before it. */
static bool is_elsewhere(const struct sh_tokenizer *t, const uint8_t *p)
{
	uintptr_t at = (uintptr_t)p, base = (uintptr_t)t->places.base;

	return at < base || at - base > t->places.size;
}

void sh_places_at(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end)
{
	if (is_elsewhere(t, p) || is_elsewhere(t, end))
		t->places.now = (struct sh_place){ t->places.word.to, t->places.word.to };
	else
		t->places.now = (struct sh_place){ offset_of(t, p), offset_of(t, end) };
}

void sh_places_put(struct sh_tokenizer *t)
{
	if (t->used == t->word) {
		t->places.word.from = t->places.now.from;
		t->places.points = 0;
	}
	t->places.word.to = t->places.now.to;
	if (t->opts.unit == SH_UNIT_CHAR)
		t->places.point[t->places.points++] = t->places.now;
}

void sh_places_left_out(struct sh_tokenizer *t)
{
	if (t->used == t->word)
		return;
	t->places.word.to = t->places.now.to;
	if (t->places.points)
		t->places.point[t->places.points - 1].to = t->places.now.to;
}

struct sh_place sh_places_point(const struct sh_tokenizer *t, size_t i)
{
	if (!t->opts.places || t->places.points == 0)
		return t->places.word;
	/* A stem may have more code points than its word. */
	return t->places.point[i < t->places.points ? i : t->places.points - 1];
}

void sh_places_kernel(struct sh_tokenizer *t, const uint8_t *p, size_t n, size_t used)
{
	for (; n < t->n; n++) {
		/* The first word may have begun in an earlier call, or ended here. */
		t->places.from[n] = t->start[n] < used ? t->places.word.from
						       : offset_of(t, p + (t->start[n] - used));
		t->places.to[n] =
		    t->end[n] <= used ? t->places.word.to : offset_of(t, p + (t->end[n] - used));
	}
	if (t->used == t->word || t->used == used)
		return;
	if (t->word >= used)
		t->places.word.from = offset_of(t, p + (t->word - used));
	t->places.word.to = offset_of(t, p + (t->used - used));
}
