/* SPDX-License-Identifier: MIT */
/* mfonda: the package simhash of Go. bytes.ToLower, then a regular expression. */
#include <stdlib.h>
#include <utf8proc.h>

#include "published/rules.h"

/* Returns the next code point; U+FFFD for an ill-formed sequence. */
static uint32_t next_well_formed(struct sh_tokenizer *t, const uint8_t **p, const uint8_t *end)
{
	uint32_t c = sh_utf8_next(p, end);

	if (c != SH_UTF8_ILL)
		return c;
	t->ill++;
	return SH_UTF8_REPLACEMENT;
}

/* Does what Go's unicode.ToLower() does. */
static uint32_t go_lower(uint32_t c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z' ? c | 32 : c;
	return (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
}

static uint32_t next_lower(struct sh_tokenizer *t, const uint8_t **p, const uint8_t *end)
{
	return go_lower(next_well_formed(t, p, end));
}

static bool is_ascii_word(uint32_t c)
{
	return ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Appends ://[\w./]+ when it is at p. Returns the end of the appended text; p
 * when there is none. */
static const uint8_t *put_url_tail(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *at = p, *from;
	uint64_t ill = t->ill;
	uint32_t c;

	if (end - p < 4 || memcmp(p, "://", 3) != 0)
		return p;
	for (at += 3, from = at; at < end; from = at) {
		c = next_lower(t, &at, end);
		if (!is_ascii_word(c) && c != '.' && c != '/')
			break;
		if (from == p + 3)
			for (const uint8_t *s = p; s < p + 3; s++) {
				sh_out_at(t, s, s + 1);
				sh_out_put(t, *s);
			}
		sh_out_at(t, from, at);
		sh_out_put(t, c);
	}
	t->ill = ill; /* the caller reads these bytes again */
	return from == p + 3 ? p : from;
}

int sh_cut_go_words(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	if (sh_plain_text(t, &p, &end, err) < 0 ||
	    sh_out_reserve(t, (size_t)(end - p) + 4, err) < 0)
		return -1;
	while (p < end) {
		const uint8_t *from = p;
		uint32_t c = next_lower(t, &p, end);

		if (is_ascii_word(c) || c == '\'') {
			sh_out_at(t, from, p);
			sh_out_put(t, c);
			continue;
		}
		if (c == ':' && t->used != t->word) {
			const uint8_t *tail = put_url_tail(t, from, end);

			p = tail == from ? p : tail;
		}
		sh_out_gap(t);
	}
	return 0;
}

static bool is_go_letter(uint32_t c)
{
	utf8proc_category_t gc = utf8proc_category((utf8proc_int32_t)c);

	if (c == '-' || c == '_' || c == '\'')
		return true;
	return gc >= UTF8PROC_CATEGORY_LU && gc <= UTF8PROC_CATEGORY_LO;
}

/* Appends the text to `out`, with U+FFFD for each ill-formed sequence. */
static int well_formed_text(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end,
    struct sh_buf *out, struct sh_error *err)
{
	while (p < end) {
		if (sh_buf_reserve(out, 4, err) < 0)
			return -1;
		out->n += sh_utf8_put((uint8_t *)out->p + out->n, next_well_formed(t, &p, end));
	}
	return 0;
}

int sh_cut_go_letters(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	struct sh_buf text = { 0 };
	utf8proc_uint8_t *mapped = NULL;
	utf8proc_ssize_t n = -1;
	const uint8_t *at;
	int status = -1;

	if (sh_plain_text(t, &p, &end, err) < 0)
		return -1;
	if (well_formed_text(t, p, end, &text, err) == 0) {
		n = utf8proc_map((const uint8_t *)text.p, (utf8proc_ssize_t)text.n, &mapped,
		    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
		if (n < 0)
			sh_error_set(err, n == UTF8PROC_ERROR_NOMEM ? SH_ERR_NOMEM : SH_ERR_PARAM,
			    "cannot normalise: %s", utf8proc_errmsg(n));
		else
			status = sh_out_reserve(t, (size_t)n, err);
	}
	sh_buf_free(&text);
	for (at = mapped; status == 0 && at < mapped + n;) {
		uint32_t c = go_lower(sh_utf8_next(&at, mapped + n));

		if (is_go_letter(c))
			sh_out_put(t, c);
		else
			sh_out_gap(t);
	}
	free(mapped);
	return status;
}
