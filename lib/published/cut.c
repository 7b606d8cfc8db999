/* SPDX-License-Identifier: MIT */
/* Rules of tokens that several systems share, or that are a test of one character. */
#include "published/rules.h"
#include "record/escape.h"

int sh_plain_text(
    struct sh_tokenizer *t, const uint8_t **p, const uint8_t **end, struct sh_error *err)
{
	struct sh_slice text = sh_slice((const char *)*p, (size_t)(*end - *p));

	if (t->opts.raw || !memchr(text.p, '\\', text.n))
		return 0;
	t->scratch.n = 0;
	if (sh_unescape(text, &t->scratch, err) < 0)
		return -1;
	if (t->opts.places && sh_places_unescaped(t, text, err) < 0)
		return -1;
	*p = (const uint8_t *)t->scratch.p;
	*end = *p + t->scratch.n;
	return 0;
}

/* Appends a word unchanged, and a gap. */
static int put_bytes(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	size_t n = (size_t)(end - p);

	if (n == 0)
		return 0;
	if (sh_out_reserve(t, n, err) < 0)
		return -1;
	sh_out_at(t, p, end);
	sh_out_bytes(t, sh_slice((const char *)p, n));
	sh_out_gap(t);
	return 0;
}

/* Appends the maximal sequences of code points for which separates() is false. */
int sh_cut_runs(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end,
    bool (*separates)(uint32_t c), struct sh_error *err)
{
	const uint8_t *word;

	if (sh_plain_text(t, &p, &end, err) < 0)
		return -1;
	for (word = p; p < end;) {
		const uint8_t *from = p;
		uint32_t c = sh_utf8_next(&p, end);

		t->ill += c == SH_UTF8_ILL;
		if (!separates(c))
			continue;
		if (put_bytes(t, word, from, err) < 0)
			return -1;
		word = p;
	}
	return put_bytes(t, word, end, err);
}

/* gomd5: a program in Go, printed in an article. */
int sh_cut_fields(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	return sh_cut_runs(t, p, end, sh_is_white_space, err);
}

/* gemantic: a class in Java. */
static bool is_blank(uint32_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

int sh_cut_blanks(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	return sh_cut_runs(t, p, end, is_blank, err);
}

/* seomoz: simhash-cpp. */
static bool is_no_letter(uint32_t c)
{
	return (c | 32) < 'a' || (c | 32) > 'z';
}

/* The text ends at its first NUL, as a C string does. */
int sh_cut_alpha(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	const uint8_t *nul = p < end ? memchr(p, '\0', (size_t)(end - p)) : NULL;

	return sh_cut_runs(t, p, nul ? nul : end, is_no_letter, err);
}
