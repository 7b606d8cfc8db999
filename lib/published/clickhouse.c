/* SPDX-License-Identifier: MIT */
/* ClickHouse's n-grams and words: see simhash-profiles(7). */
#include "published/rules.h"

enum {
	STEP = 16 * 1024,     /* bytes for which memory is reserved at once */
	SHORTEST_WORD = 4,    /* bytes; shorter words are dropped */
	CASE_BIT = 'a' ^ 'A', /* set in every byte, not only in letters, when case is ignored */
};

/* Returns the length of a character by its first byte; 1 for a byte that cannot
 * begin a character. */
static size_t length_by_first_byte(uint8_t c)
{
	return c < 0xC0 || c >= 0xF8 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

static void put_bytes(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end)
{
	const uint8_t case_bit = t->method->mode & SH_IGNORE_CASE ? CASE_BIT : 0;

	while (p < end)
		t->text[t->used++] = (char)(*p++ | case_bit);
}

/* Makes a token of each character that begins before lim. Returns the end of the last one. */
static const uint8_t *cut_some(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *lim, const uint8_t *end)
{
	const bool code_points = t->method->mode & SH_CODE_POINTS;

	while (p < lim) {
		size_t n = code_points ? length_by_first_byte(*p) : 1, from = t->used;
		const uint8_t *next = n < (size_t)(end - p) ? p + n : end;

		put_bytes(t, p, next);
		sh_out_token(t, from, t->used);
		p = next;
	}
	return p;
}

int sh_cut_characters(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	if (sh_plain_text(t, &p, &end, err) < 0)
		return -1;
	t->ill += sh_utf8_count_ill((const char *)p, (size_t)(end - p));
	while (p < end) {
		const uint8_t *lim = end - p > STEP ? p + STEP : end;

		if (sh_out_reserve(t, (size_t)(lim - p) + 1, err) < 0)
			return -1;
		p = cut_some(t, p, lim, end);
		t->word = t->used;
	}
	/* End the text with a space: sh_out_ends_with_gap() reads a final '_' as a gap. */
	t->text[t->used++] = ' ';
	t->word = t->used;
	return 0;
}

static bool separates(uint8_t c)
{
	return c < 0x80 && !(c >= '0' && c <= '9') &&
	       !((c | CASE_BIT) >= 'a' && (c | CASE_BIT) <= 'z');
}

/* Words are runs of ASCII letters, ASCII digits and all bytes beyond ASCII. */
int sh_cut_long_words(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	if (sh_plain_text(t, &p, &end, err) < 0)
		return -1;
	t->ill += sh_utf8_count_ill((const char *)p, (size_t)(end - p));
	while (p < end) {
		const uint8_t *word = p;

		while (p < end && !separates(*p))
			p++;
		if (p - word >= SHORTEST_WORD) {
			if (sh_out_reserve(t, (size_t)(p - word), err) < 0)
				return -1;
			sh_out_at(t, word, p);
			put_bytes(t, word, p);
			sh_out_gap(t);
		}
		p += p < end;
	}
	return 0;
}
