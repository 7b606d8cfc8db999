/* SPDX-License-Identifier: MIT */
/* Joins words that a hyphen cuts at the end of a line: "co-\nefficient" becomes "coefficient".
 *
 * A word is joined when a letter or mark, one hyphen, one line end and a letter follow one another.
 * Blanks may stand before the line end and behind it. The hyphens are U+002D, U+00AD, U+2010,
 * U+2011, U+058A, U+2E17, and U+00AC, which OCR writes. A line end is LF, CR or CR LF; unless
 * opts.raw is set, also the escapes of these characters.
 *
 * A capital behind the line end joins only a capital: "Jean-\nPaul" is two words, "CHAP-\nTER" is
 * one. Digits and characters that are tokens of their own (Chinese, Thai) are never joined. */
#include <utf8proc.h>

#include "record/escape.h"
#include "text/tokenizer.h"

static bool is_hyphen(uint32_t c)
{
	return c == '-' || c == 0xAC || c == 0xAD || c == 0x58A || c == 0x2010 || c == 0x2011 ||
	       c == 0x2E17;
}

/* Returns whether a word that is not a single character by its script may contain c. */
static bool is_letter(struct sh_tokenizer *t, uint32_t c)
{
	return (sh_fold_class(t->fold, c) & (SH_CLASS_KIND | SH_CLASS_DIGIT)) == SH_CLASS_WORD;
}

static bool is_capital(uint32_t c)
{
	utf8proc_category_t gc = utf8proc_category((utf8proc_int32_t)c);

	return gc == UTF8PROC_CATEGORY_LU || gc == UTF8PROC_CATEGORY_LT;
}

/* Returns the character at p, with the control character of an escape in the place of the escape.
 * Returns 0 at the end. Sets *n to its bytes. */
static uint8_t look(const struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, size_t *n)
{
	char c = p < end ? (char)*p : '\0';
	char stands = c == '\\' && !t->opts.raw && end - p > 1 ? sh_unescaped((char)p[1]) : '\0';

	*n = stands ? 2 : p < end;
	return (uint8_t)(stands ? stands : c);
}

static const uint8_t *skip_blanks(
    const struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end)
{
	size_t n;

	for (uint8_t c; c = look(t, p, end, &n), c == ' ' || c == '\t' || c == '\f';)
		p += n;
	return p;
}

/* Returns where the text goes on behind blanks, one line end and blanks at p; NULL when p has
 * something else. */
static const uint8_t *skip_line_end(
    const struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end)
{
	size_t n, lf;
	uint8_t c;

	p = skip_blanks(t, p, end);
	c = look(t, p, end, &n);
	if (c != '\n' && c != '\r')
		return NULL;
	p += n;
	if (c == '\r' && look(t, p, end, &lf) == '\n')
		p += lf;
	return skip_blanks(t, p, end);
}

/* Returns where the word goes on that ends before the hyphen; NULL: it does not go on.
 * before: the character before the hyphen. p: the byte behind the hyphen. */
static const uint8_t *rest_of_word(
    struct sh_tokenizer *t, uint32_t before, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *rest, *next;
	uint32_t c;

	if (!is_letter(t, before))
		return NULL;
	rest = next = skip_line_end(t, p, end);
	if (!rest || rest == end)
		return NULL;
	c = sh_utf8_next(&next, end);
	return is_letter(t, c) && (!is_capital(c) || is_capital(before)) ? rest : NULL;
}

/* Appends from .. to - 1 to the copy, and the places of these bytes. */
static int copy(struct sh_tokenizer *t, struct sh_slice text, const uint8_t *from,
    const uint8_t *to, struct sh_error *err)
{
	uint32_t at = (uint32_t)(from - (const uint8_t *)text.p);
	size_t n = (size_t)(to - from), had = t->whole.n;

	if (sh_buf_add(&t->whole, from, n, err) < 0)
		return -1;
	if (!t->opts.places)
		return 0;
	if (SH_RESERVE(t->places.joined, t->places.joined_cap, had + n + 1, err) < 0)
		return -1;
	for (size_t i = 0; i <= n; i++)
		t->places.joined[had + i] = at + (uint32_t)i;
	return 0;
}

int sh_join_hyphens(struct sh_tokenizer *t, struct sh_slice *text, struct sh_error *err)
{
	const uint8_t *p = (const uint8_t *)text->p, *end = text->n ? p + text->n : p, *done = p;
	uint32_t before = 0;

	t->whole.n = 0;
	while (p < end) {
		const uint8_t *from = p, *rest;
		uint32_t c = sh_utf8_next(&p, end);
		size_t n;

		if (c == '\\') {
			look(t, from, end, &n);
			p = from + n;
		}
		rest = is_hyphen(c) ? rest_of_word(t, before, p, end) : NULL;
		if (!rest) {
			before = c;
			continue;
		}
		if (copy(t, *text, done, from, err) < 0)
			return -1;
		p = done = rest;
	}
	if (done == (const uint8_t *)text->p)
		return 0;
	if (copy(t, *text, done, end, err) < 0)
		return -1;
	*text = sh_buf_slice(&t->whole);
	if (t->opts.places) {
		t->places.base = (const uint8_t *)t->whole.p;
		t->places.size = t->whole.n;
		t->places.origin = t->places.joined;
	}
	return 0;
}
